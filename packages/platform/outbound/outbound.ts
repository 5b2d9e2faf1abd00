import type { Readable } from 'node:stream';

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'HEAD' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** How long until the headers of the answer must be there. */
  headersTimeoutMs: number;
  /** Longest silence between two parts of the body while the reader waits; noticed within twice that time. */
  bodyTimeoutMs: number;
  /** How many redirects are followed, each hop checked like the first; 0 returns the redirect itself. */
  maxRedirects: number;
}

export interface OutboundAnswer {
  status: number;
  headers: Record<string, string>;
  /** Address of the last hop. */
  url: string;
  /** To be read to its end or destroyed: it holds its connection until then. Fails where the answer is cut off. */
  body: Readable;
}

/** Why the other side gave no complete answer. The message is a sentence that names its host, never path or query. */
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

/** HTTP to addresses that users name. Private, local and reserved addresses are refused at every spelling and hop. */
export interface OutboundHttp {
  /** Refuses an address that could never be called, without calling it. @throws Problem `address-refused` */
  check(url: string): void;
  /** @throws Problem `address-refused`; OutboundFailed, also from the body */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
  close(): Promise<void>;
}
