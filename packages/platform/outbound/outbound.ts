import type { Readable } from 'node:stream';

/** One request to a URL from a user, with its limits. */
export interface OutboundRequest {
  url: string;
  method: 'GET' | 'HEAD' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** Time in ms within which the headers of the answer must arrive. */
  headersTimeoutMs: number;
  /** Longest silence in ms between two parts of the body while the reader waits, detected after one to two times this time. */
  bodyTimeoutMs: number;
  /** Upper bound for redirects. Each target is checked like the first URL. With 0, a redirect is returned as the answer. */
  maxRedirects: number;
}

/** The answer of a request, whose body is not yet read. */
export interface OutboundAnswer {
  status: number;
  headers: Record<string, string>;
  /** URL of the last request, after redirects. */
  url: string;
  /** Must be read completely or destroyed, because it holds its connection until then. Fails if the answer is truncated. */
  body: Readable;
}

/** The server gave no complete answer. The message is a sentence with the host, never with path or query. */
export class OutboundFailed extends Error {
  override readonly name = 'OutboundFailed';
  readonly kind: 'unreachable' | 'certificate' | 'redirects' | 'silent' | 'incomplete';
  /** The sentence without the host at its beginning. */
  readonly what: string;

  constructor(kind: OutboundFailed['kind'], host: string, what: string, cause?: unknown) {
    super(`${host} ${what}`, { cause });
    this.kind = kind;
    this.what = what;
  }
}

/** HTTP client for URLs from users. Private, local and reserved IP addresses are rejected in every notation and at every redirect. */
export interface OutboundHttp {
  /** Rejects a URL that is never allowed, without calling it. @throws Problem `address-refused` */
  check(url: string): void;
  /** Sends a request and follows redirects. @throws Problem `address-refused`; OutboundFailed, also from the body */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
  close(): Promise<void>;
}
