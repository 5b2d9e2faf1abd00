import { signal } from '@preact/signals';

/** A fault of the interface (RFC 9457), or a request that got no answer (status 0). */
export interface Fault {
  status: number;
  code: string;
  title: string;
  detail: string;
  type?: string;
  errors?: readonly { location: string; detail: string; row?: number; line?: number; column?: string; value?: string }[];
}

/** An answer with its body, and the query of the next page from the header `Link`. */
export interface Answer<Body> {
  body: Body;
  next: string | null;
}

interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: object;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** Why the session ended while a page was open; null during a session. Any page may set the reason. */
export const endedBecause = signal<string | null>(null);

/** The header shows the server that a request comes from this page even where browsers send no `Sec-Fetch-Site` (plain HTTP). */
export const ownHeader = { 'x-vouch-console': '1' };

/** Returns the path with its query; undefined values are left out. */
export function withQuery(path: string, query: Call['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Time in ms until an answer must be complete: a connection can be lost without a word. */
const limitMs = 60_000;

/** Sends a request of the public interface with the session's cookie. @throws Fault */
export async function ask<Body>(path: string, { method = 'GET', query, body, headers = {}, signal: stop }: Call = {}): Promise<Answer<Body>> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  const { answer, text } = await fetchText(withQuery(path, query), {
    method,
    headers: { ...ownHeader, accept: 'application/json', ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: stop === undefined ? limit.signal : AbortSignal.any([stop, limit.signal]),
  }).catch((error: unknown) => { throw stop?.aborted === true ? error : method === 'GET' ? unreachable : unanswered; }).finally(() => clearTimeout(timer));
  if (!answer.ok) throw endIfSignedOut(readFault(answer.status, text));
  const next = /<[^>]*\?([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
  return { body: (text === '' ? null : JSON.parse(text)) as Body, next };
}

async function fetchText(address: string, init: RequestInit): Promise<{ answer: Response; text: string }> {
  const answer = await fetch(address, init);
  return { answer, text: await answer.text() };
}

/** The body of an answer. @throws Fault */
export async function call<Body>(path: string, options: Call = {}): Promise<Body> {
  return (await ask<Body>(path, options)).body;
}

const unreachable: Fault = {
  status: 0, code: 'unreachable', title: 'The server does not answer', detail: 'The console tries again as long as this page is open.',
};

/** A change is not repeated by itself: the server may have made the change before the connection broke. */
const unanswered: Fault = {
  ...unreachable, detail: 'The console does not know whether the server made the change. When the server answers again, look at the page, and repeat the change if it is missing.',
};

/** Reads the fault of an answer; a proxy may answer something else than a problem. */
export function readFault(status: number, text: string): Fault {
  try {
    return { status, ...(JSON.parse(text) as Omit<Fault, 'status'>) };
  } catch {
    return { status, code: `http-${status}`, title: `The server answered ${status}`, detail: text.slice(0, 300) };
  }
}

/** A 401 means that the session or its key has ended. */
export function endIfSignedOut(fault: Fault): Fault {
  if (fault.status === 401) endedBecause.value = fault.detail;
  return fault;
}

/** Whatever was thrown, as a fault to show. */
export function toFault(error: unknown): Fault {
  if (typeof error === 'object' && error !== null && 'code' in error && 'detail' in error) return error as Fault;
  return { status: 0, code: 'console', title: 'The page failed', detail: String(error) };
}
