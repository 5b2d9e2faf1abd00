import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Fault } from '../api/call.ts';
import { ApiCall } from './apiCall.tsx';
import { ago } from './words.ts';

/** A time relative to now, with the exact time on hover. */
export function When({ at }: { at: string }) {
  const [, setRound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setRound((round) => round + 1), 10_000);
    return () => clearInterval(timer);
  }, []);
  return <time dateTime={at} title={new Date(at).toLocaleString()}>{ago(at)}</time>;
}

/** A bar from 0 to 1. */
export function Bar({ part, label, kind = 'progress' }: { part: number; label: string; kind?: 'progress' | 'score' }) {
  const percent = Math.round(Math.max(0, Math.min(1, part)) * 100);
  return (
    <span class={`bar ${kind}`} role={kind === 'progress' ? 'progressbar' : 'meter'} aria-label={label} aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100}>
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}

const tones: Readonly<Record<string, string>> = {
  completed: 'good', confirmed: 'good', delivered: 'good', valid: 'good', in_force: 'good', scheduled: 'busy', running: 'busy', queued: 'busy', cancelling: 'busy', pending: 'busy', submitted: 'busy',
  error: 'bad', failed: 'bad', given_up: 'bad', paused: 'bad', cancelled: 'quiet', revoked: 'quiet', expired: 'quiet',
};

/** The state of a thing, as a word with a mark. */
export function State({ of }: { of: string }) {
  return <span class={`state ${tones[of] ?? 'quiet'}`}>{of.replaceAll('_', ' ')}</span>;
}

/** A fault with its reason and its page, and a way to try again. */
export function FaultNote({ fault, retry }: { fault: Fault; retry?: () => void }) {
  return (
    <div class="fault" role="alert">
      <p><strong>{fault.title}.</strong> {fault.detail}</p>
      {fault.errors !== undefined && fault.errors.length > 1 && (
        <ul>{fault.errors.slice(0, 20).map((each) => <li key={each.location + each.detail}><code>{each.location}</code> {each.detail}</li>)}</ul>
      )}
      <p class="aside">
        {fault.type !== undefined && <a href={fault.type} target="_blank" rel="noreferrer">{fault.code}</a>}
        {retry !== undefined && <button type="button" class="plain" onClick={retry}>Try again</button>}
      </p>
    </div>
  );
}

/** What a page shows where there is nothing yet, and what leads on. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="empty"><h2>{title}</h2>{children}</div>;
}

/**
 * A page with its heading, and the call of the public interface that it shows.
 * @param call path and query of a GET request
 */
export function Page({ title, call, actions, children }: { title: string; call?: string; actions?: ComponentChildren; children: ComponentChildren }) {
  useEffect(() => { document.title = `${title} · Vouch`; }, [title]);
  return (
    <>
      <header class="page-head">
        <h1>{title}</h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
      {call !== undefined && <ApiCall path={call} />}
    </>
  );
}

/** Grey lines in the place of what is still loading. */
export function Loading({ lines = 3 }: { lines?: number }) {
  return <div class="loading" aria-busy="true" aria-label="Loading">{Array.from({ length: lines }, (_, line) => <span key={line} />)}</div>;
}

/** A table that scrolls in itself on narrow screens. */
export function Table({ label, columns, children }: { label: string; columns: readonly string[]; children: ComponentChildren }) {
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead><tr>{columns.map((column) => <th key={column} scope="col">{column}</th>)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
