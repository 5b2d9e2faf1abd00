import type { ComponentChildren } from 'preact';
import { endedBecause } from '../api/call.ts';
import { href, leftBehind, place } from '../api/place.ts';
import { may, session, signOut } from '../api/session.ts';

interface Entry {
  name: string;
  path: string;
  /** The scope without which the page can show nothing. */
  scope?: string;
}

/** The pages in the order of the navigation. */
const entries: readonly Entry[] = [
  { name: 'Overview', path: '' },
  { name: 'Data', path: 'data', scope: 'data:read' },
  { name: 'Models', path: 'models', scope: 'model:read' },
  { name: 'Try it', path: 'try', scope: 'recommend:read' },
  { name: 'Rules', path: 'rules', scope: 'model:read' },
  { name: 'Experiments', path: 'experiments', scope: 'model:read' },
  { name: 'Videos', path: 'videos', scope: 'video:read' },
  { name: 'Gateway', path: 'gateway', scope: 'admin' },
  { name: 'Keys', path: 'keys', scope: 'admin' },
];

/** Navigation and the place of the current page. */
export function Shell({ children }: { children: ComponentChildren }) {
  const current = place.value.path[0] ?? '';
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to the content</a>
      <nav aria-label="Console">
        <a class="brand" href={href([])}>Vouch</a>
        <ul>
          {entries.filter(({ scope }) => scope === undefined || may(scope)).map(({ name, path }) => (
            <li key={name}><a href={href(path === '' ? [] : [path])} aria-current={current === path ? 'page' : undefined}>{name}</a></li>
          ))}
        </ul>
        <div class="who">
          <span title={`Key “${session.value?.key ?? ''}” with ${session.value?.scopes.join(', ') ?? ''}`}>{session.value?.organization}</span>
          <a href="/docs" target="_blank" rel="noreferrer">Documentation</a>
          <a href="/docs/api" target="_blank" rel="noreferrer">API reference</a>
          <button type="button" class="plain" onClick={() => void signOut().catch(() => { endedBecause.value = 'signed out'; })}>Sign out</button>
        </div>
      </nav>
      <main id="main" tabIndex={-1}>
        {leftBehind.value !== null && <p class="note" role="status">{leftBehind.value}</p>}
        {children}
      </main>
    </div>
  );
}
