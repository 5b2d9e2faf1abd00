import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
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
  try {
    return await Promise.race([send(target, method, headers, body, stop.signal), rejection(stop.signal)]);
  } catch (error) {
    signal?.throwIfAborted();
    if (stop.signal.aborted) throw stop.signal.reason;
    throw error instanceof ExchangeFault ? error : new ExchangeFault(`${target.host} ${describeFailure(error)}`);
  } finally {
    done.abort();
    stop.abort();
    signal?.removeEventListener('abort', cancel);
  }
}

function send(target: URL, method: string, headers: Readonly<Record<string, string>>, body: unknown, signal: AbortSignal): Promise<JsonAnswer> {
  const text = body === undefined ? null : JSON.stringify(body);
  const open = target.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const outgoing = open(target, {
      method, signal, agent: false,
      headers: { accept: 'application/json', ...(text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }), ...headers },
    }, (incoming) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      incoming.on('data', (part: Buffer) => {
        bytes += part.length;
        parts.push(part);
        if (bytes > answerBytesMax) {
          incoming.destroy();
          reject(new ExchangeFault(`${target.host} sent an answer of more than ${answerBytesMax} bytes`));
        }
      });
      incoming.on('error', reject);
      incoming.on('end', () => resolve({
        status: incoming.statusCode ?? 0, body: parse(Buffer.concat(parts).toString('utf8')), retryAfterSeconds: seconds(incoming.headers['retry-after']),
        date: milliseconds(incoming.headers.date),
      }));
    });
    outgoing.on('error', reject);
    outgoing.end(text ?? undefined);
  });
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

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function describeFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'refuses connections', ENOTFOUND: 'is a name without an address', EAI_AGAIN: 'could not be looked up: the name service did not answer',
    ECONNRESET: 'closed the connection before the answer was complete', ETIMEDOUT: 'did not accept the connection in time',
    EHOSTUNREACH: 'cannot be reached from here', ENETUNREACH: 'cannot be reached from here',
  };
  return known[code] ?? (/CERT|SIGNED|TLS|SSL|ALTNAME/.test(code) ? `has no valid certificate (${code})` : `could not be reached (${code === '' ? 'unknown failure' : code})`);
}
