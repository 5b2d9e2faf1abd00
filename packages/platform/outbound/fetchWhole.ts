import { buffer } from 'node:stream/consumers';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { openConnections } from './openConnections.ts';

/** The subset of `fetch` options that demos and conformance rows need. */
export interface FetchOptions {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | FormData;
}

export type Fetch = (url: string | URL, options?: FetchOptions) => Promise<Response>;

/** Time limit in ms for a whole request, including its answer. */
const timeoutMs = 300_000;
const connections = openConnections({ connectionsPerOrigin: 64, keep: true }, systemInterfaces.timers);
/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Like `fetch`, but through Vouch's own HTTP client: answers are read completely, and redirects are not followed. For programs that call a running
 * server as its users do.
 * @throws OutboundFailed; DOMException `TimeoutError` after five minutes
 */
export const fetchWhole: Fetch = async (url, { method = 'GET', headers = {}, body } = {}) => {
  const form = body instanceof FormData ? new Response(body) : null;
  const type = form?.headers.get('content-type');
  const answer = await connections.send(new URL(url), {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    headers: { ...(type == null ? {} : { 'content-type': type }), ...headers },
    body: form === null ? (body as string | undefined) : Buffer.from(await form.arrayBuffer()),
  });
  const bytes = await buffer(answer.body);
  return new Response(bodiless.has(answer.status) ? null : bytes, { status: answer.status, headers: answer.headers });
};
