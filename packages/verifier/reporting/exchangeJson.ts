import { openConnections, type Connections } from '@vouch/platform/outbound/openConnections';
import { OutboundFailed, type OutboundAnswer } from '@vouch/platform/outbound/outbound';
import type { Timers } from '@vouch/platform/process/doors';

/** The other side gave no answer that can be read. The message is a sentence that names the host alone. */
export class ExchangeFault extends Error {
  override readonly name = 'ExchangeFault';
}

export interface Exchange {
  url: string;
  method: 'GET' | 'HEAD' | 'POST';
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** What came back. */
export interface JsonAnswer {
  status: number;
  /** Undefined where it is not JSON. */
  body: unknown;
  /** Seconds of a Retry-After; null without one that is a number. */
  retryAfterSeconds: number | null;
  /** The other side's clock, milliseconds since 1970; null where it does not tell. */
  date: number | null;
}

/** More than this is no answer to us: an endless body must not fill the memory. */
const answerBytesMax = 64 * 1024;

/**
 * One request with JSON, bounded in time and bytes; redirects are not followed.
 * @throws ExchangeFault; the reason of `signal`
 */
export async function exchangeJson({ url, method, headers = {}, body, timeoutMs, signal }: Exchange, timers: Timers): Promise<JsonAnswer> {
  const target = new URL(url);
  const done = new AbortController();
  const stop = new AbortController();
  const cancel = (): void => stop.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cancel, { once: true });
  void timers.sleep(timeoutMs, done.signal, false).then(() => {
    if (!done.signal.aborted) stop.abort(new ExchangeFault(`${target.host} did not answer within ${timeoutMs / 1_000} s`));
  });
  const connections = openConnections({ connectionsPerOrigin: 1, keep: false }, timers);
  try {
    return await send(connections, target, method, headers, body, stop.signal);
  } catch (error) {
    throw error instanceof OutboundFailed ? new ExchangeFault(error.message) : error;
  } finally {
    done.abort();
    signal?.removeEventListener('abort', cancel);
    connections.close();
  }
}

async function send(
  connections: Connections, target: URL, method: string, headers: Readonly<Record<string, string>>, body: unknown, signal: AbortSignal,
): Promise<JsonAnswer> {
  const answer = await connections.send(target, {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  });
  return {
    status: answer.status, body: parse(await readText(answer, target)), retryAfterSeconds: seconds(answer.headers['retry-after']), date: milliseconds(answer.headers['date']),
  };
}

async function readText({ body }: OutboundAnswer, target: URL): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += (part as Buffer).length;
    if (bytes > answerBytesMax) throw new ExchangeFault(`${target.host} sent an answer of more than ${answerBytesMax} bytes`);
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function seconds(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : null;
}

function milliseconds(header: string | undefined): number | null {
  const time = Date.parse(header ?? '');
  return Number.isNaN(time) ? null : time;
}
