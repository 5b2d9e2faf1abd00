import { request as requestPlain, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { Timers } from '../process/systemInterfaces.ts';
import { AnswerBody } from './answerBody.ts';
import { describeFault, isParserFault } from './connectionFault.ts';
import { openAgents, type AgentOptions, type Agents } from './openAgents.ts';
import { OutboundFailed, type OutboundAnswer } from './outbound.ts';

/** Upper bound in bytes for the headers of an answer, and for its trailers. */
const maxHeaderBytes = 32 * 1024;
/** Upper bound for interim answers (1xx) before the final answer. */
const maxInterimAnswers = 16;

/** One outgoing request. Without `silenceMs` and `signal`, its time is not limited. */
interface SentRequest {
  method: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Aborts the request, or the body of its answer, which then fails with the signal's reason. */
  signal?: AbortSignal;
  /**
   * Longest silence in ms between two parts of the answer's body while the reader waits, detected after one to two times this time. Default: no
   * limit.
   */
  silenceMs?: number;
}

/** HTTP/1.1 client for URLs that were checked or that the operator configured. */
export interface Connections {
  /**
   * Sends one request and returns its answer. Redirects are returned, not followed. Name lookup, TCP and TLS together may take ten seconds; use the
   * signal to limit the time until the answer's headers.
   * @throws OutboundFailed, also from the body; a Problem of the guard; the reason of the signal
   */
  send(url: URL, request: SentRequest): Promise<OutboundAnswer>;
  /** Closes all connections; running requests fail. */
  close(): void;
}

/**
 * Creates an HTTP client; connections are opened on demand. All outgoing HTTP uses this function. It uses node:http, because undici, and thus
 * `fetch`, ends the process if an answer without a length meets a slow reader (nodejs/undici#5360).
 */
export function openConnections(options: AgentOptions, timers: Timers): Connections {
  const agents = openAgents(options, timers);
  return {
    send: (url, request) => exchange(url, request, { agents, keep: options.keep, timers }),
    close: () => agents.close(),
  };
}

interface Parts {
  agents: Agents;
  keep: boolean;
  timers: Timers;
}

function exchange(url: URL, request: SentRequest, parts: Parts): Promise<OutboundAnswer> {
  const { signal, silenceMs } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const outgoing = begin(url, request, parts);
    let body: AnswerBody | null = null;
    let settled = false;
    const settle = (): boolean => {
      const first = !settled;
      settled = true;
      if (body === null || body.closed) signal?.removeEventListener('abort', abort);
      return first;
    };
    const abort = (): void => {
      // A request that waits for a free connection emits no event when it is destroyed.
      outgoing.destroy();
      body?.destroy(signal?.reason as Error);
      if (settle()) reject(signal?.reason as Error);
    };
    const fail = (error: Error): void => {
      if (body !== null && (!body.isWhole || isParserFault(error))) body.fail(error);
      if (settle()) reject(describeFault(error, url.host));
    };
    signal?.addEventListener('abort', abort, { once: true });
    outgoing.on('error', fail);
    outgoing.on('close', () => fail(Object.assign(new Error('no answer'), { code: 'ECONNRESET' })));
    outgoing.on('response', (incoming) => {
      body = new AnswerBody(incoming, { host: url.host, silenceMs }, parts.timers);
      body.once('close', () => signal?.removeEventListener('abort', abort));
      settle();
      resolve({ status: incoming.statusCode ?? 0, headers: flatten(incoming), url: url.href, body });
    });
    outgoing.end(request.body);
  });
}

function begin(url: URL, { method, headers }: SentRequest, { agents, keep }: Parts): ClientRequest {
  const open = url.protocol === 'https:' ? requestSecure : requestPlain;
  const outgoing = open({ ...urlToHttpOptions(url), method, headers: { ...headers }, agent: agents.for(url.protocol), maxHeaderSize: maxHeaderBytes });
  // The `connection` header alone would inform only the server, and the agent could still reuse the connection.
  outgoing.shouldKeepAlive = keep;
  let interim = 0;
  outgoing.on('information', () => {
    interim += 1;
    if (interim > maxInterimAnswers) outgoing.destroy(new OutboundFailed('incomplete', url.host, 'sent only interim answers (1xx)'));
  });
  return outgoing;
}

function flatten({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value ?? '']));
}
