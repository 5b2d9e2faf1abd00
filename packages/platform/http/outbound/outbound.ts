import type { Readable } from 'node:stream';

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'HEAD' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
  /** How long until the headers of the answer must be there. */
  headersTimeoutMs: number;
  /** Longest silence between two parts of the body. */
  bodyTimeoutMs: number;
  /** How many redirects are followed, each hop checked like the first; 0 returns the redirect itself. */
  maximumRedirects: number;
}

export interface OutboundAnswer {
  status: number;
  headers: Record<string, string>;
  /** Address of the last hop. */
  url: string;
  body: Readable;
}

/** HTTP to addresses that users name. Private, local and reserved addresses are refused at every spelling and hop. */
export interface OutboundHttp {
  /** Refuses an address that could never be called, without calling it. @throws Problem `address-refused` */
  check(url: string): void;
  /** @throws Problem `address-refused`; other failures as Error with a sentence */
  request(request: OutboundRequest): Promise<OutboundAnswer>;
  close(): Promise<void>;
}
