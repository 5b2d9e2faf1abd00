import { errorOf } from './problem.ts';

/** Settings of a client. */
export interface ClientOptions {
  /** URL of the server, e.g. `http://127.0.0.1:8080`. In a browser, the default is the origin of the page. */
  url?: string;
  /** API key. A page that is signed in with a session cookie needs none. */
  apiKey?: string;
  /** How often a request is repeated that failed for a passing reason. Default: 3. Not repeated if the server asks for a pause of more than a minute. */
  retries?: number;
  /** Time in ms until an answer must have begun; uploads have no limit. Default: 60,000. */
  timeoutMs?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

/** Options of one call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Repeats of a request with the same key within 24 hours have one effect. Default: a new random key for each call that takes one. */
  idempotencyKey?: string;
}

/** A request before it is sent. */
interface Outgoing {
  method: string;
  path: string;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  /** Makes the body anew for each attempt. */
  body?: () => string | ReadableStream<Uint8Array>;
  /** Whether a repeated request has the effect of one. */
  repeatable: boolean;
  /** Whether the body may take any time. */
  isUpload?: boolean;
  signal?: AbortSignal | undefined;
}

/** Sends requests with the key of the client, and repeats them. */
export interface Transport {
  /**
   * @returns an answer with a status below 400, whose body is not yet read
   * @throws VouchError for any other status; TypeError if the server cannot be reached; the reason of `signal`
   */
  send(request: Outgoing): Promise<Response>;
}

/** Statuses of a server, or of the proxy before it, that is busy, stops or starts. */
export const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const firstPauseMs = 500;
/** An answer that asks for a longer pause, e.g. until a budget begins anew, is an error at once: the server would refuse an earlier repeat too. */
const longestPauseMs = 60_000;

/** Creates the transport of a client. @throws TypeError if the URL is missing or no URL */
export function createTransport(options: ClientOptions): Transport {
  const { apiKey, retries = 3, timeoutMs = 60_000 } = options;
  const base = baseOf(options.url);
  const through = options.fetch ?? ((input, init) => fetch(input, init));

  const attempt = async ({ method, path, query, headers, body, isUpload = false, signal }: Outgoing): Promise<Response> => {
    const limit = new AbortController();
    const timer = isUpload ? undefined : setTimeout(() => limit.abort(new DOMException(`${base}${path} did not answer within ${timeoutMs} ms.`, 'TimeoutError')), timeoutMs);
    const content = body?.();
    try {
      return await through(base + path + queryOf(query), {
        method,
        headers: { accept: 'application/json, */*', ...(apiKey === undefined ? {} : { apikey: apiKey }), ...headers },
        // A redirect could send the key to another host.
        redirect: 'error',
        signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
        ...(content === undefined ? {} : { body: content }),
        ...(content instanceof ReadableStream ? { duplex: 'half' } : {}),
      } as RequestInit);
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async send(request) {
      for (let failures = 0; ; failures += 1) {
        const last = failures >= retries || !request.repeatable;
        const answer = await attempt(request).catch((error: unknown) => {
          request.signal?.throwIfAborted();
          if (last) throw error;
          return null;
        });
        if (answer !== null && answer.status < 400) return answer;
        const header = answer?.headers.get('retry-after') ?? null;
        const ms = pauseBefore(failures, header);
        if (answer !== null && (last || ms > longestPauseMs || !(passing.has(answer.status) || header !== null))) throw await errorOf(answer);
        await answer?.body?.cancel();
        await pause(ms, request.signal);
      }
    },
  };
}

function baseOf(url: string | undefined): string {
  const origin = url ?? (globalThis as { location?: { origin: string } }).location?.origin;
  if (origin === undefined) throw new TypeError('The client needs the URL of the server: createClient({ url: "http://127.0.0.1:8080" }).');
  if (!/^https?:\/\//i.test(origin) || !URL.canParse(origin)) throw new TypeError(`${origin} is not the URL of a server; a URL begins with http:// or https://.`);
  return origin.replace(/\/+$/, '');
}

/** Repeats a list as several parameters. */
function queryOf(query: Outgoing['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const member of Array.isArray(value) ? value : [value]) if (member !== undefined && member !== null) parameters.append(name, String(member));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/**
 * Time in ms before the next attempt: what the server asks for, otherwise twice the pause before.
 * @param header value of Retry-After, in seconds or as a date
 */
export function pauseBefore(failures: number, header: string | null, now = Date.now()): number {
  const asked = header === null ? NaN : /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  if (!Number.isNaN(asked)) return Math.max(asked, 0);
  // Up to a quarter less, so that many clients do not return at the same time.
  return Math.min(firstPauseMs * 2 ** failures, longestPauseMs) * (1 - Math.random() / 4);
}

/** Waits. @throws the reason of the signal */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
