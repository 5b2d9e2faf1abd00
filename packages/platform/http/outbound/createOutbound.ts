import { Readable } from 'node:stream';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { connectionCode, describeConnectionFault, isCertificateFault } from '../../errors/connectionFault.ts';
import { Problem } from '../../errors/problem.ts';
import type { Timers } from '../../process/doors.ts';
import { connectGuarded, lookupAll, type Lookup } from './connectGuarded.ts';
import { checkUrl, readAllowed, showHost, type AllowedAddresses } from './guard.ts';
import { OutboundFailed, type OutboundAnswer, type OutboundHttp, type OutboundRequest } from './outbound.ts';

/** Time for TCP and TLS to one address. */
const connectTimeoutMs = 10_000;
/** Time for the name service; the system's resolver alone may take minutes. */
const lookupTimeoutMs = 10_000;
/** Open connections to one origin; more requests wait for one. */
const connectionsPerOrigin = 16;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What is not carried to another origin. */
const privateHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

export interface OutboundOptions {
  /** `true`, or `host:port` entries, may be private. */
  allowPrivateAddresses: AllowedAddresses;
  /** The system's resolver unless given. */
  lookup?: Lookup;
}

/**
 * HTTP to addresses that users name, through undici. Proxies of the environment are not used, since a proxy would
 * resolve names itself.
 */
export function createOutbound(options: OutboundOptions, timers: Timers): OutboundHttp {
  const allowed = readAllowed(options.allowPrivateAddresses);
  const lookup = withinTime(options.lookup ?? lookupAll, timers);
  const connect = connectGuarded(buildConnector({ timeout: connectTimeoutMs }), lookup, allowed);
  const agent = new Agent({ connect, connections: connectionsPerOrigin, pipelining: 1, maxHeaderSize: 32_768 });

  const hop = async (url: URL, request: OutboundRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> => {
    try {
      return await agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: request.headers,
        body: request.body,
        signal,
        headersTimeout: request.headersTimeoutMs,
        bodyTimeout: request.bodyTimeoutMs,
      });
    } catch (error) {
      throw asSentence(error, url, request);
    }
  };

  const follow = async (request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> => {
    let { url } = checkUrl(request.url, allowed);
    let current = request;
    for (let count = 0; ; count += 1) {
      const answer = await hop(url, current, signal);
      const target = redirectTarget(answer, url);
      if (target === null || request.maximumRedirects === 0) return present(answer, url, current);
      answer.body.on('error', () => {}).destroy();
      if (count === request.maximumRedirects) {
        throw new OutboundFailed('redirects', `${showHost(url)} redirected more than ${request.maximumRedirects} times`);
      }
      const next = checkUrl(target, allowed).url;
      current = redirected(current, answer.statusCode, next.origin === url.origin);
      url = next;
    }
  };

  return {
    check: (url) => void checkUrl(url, allowed),
    request: async (request) => {
      const stop = new AbortController();
      const cancel = (): void => stop.abort(request.signal?.reason);
      if (request.signal?.aborted) cancel();
      request.signal?.addEventListener('abort', cancel, { once: true });
      const answered = new AbortController();
      void timers.sleep(request.headersTimeoutMs, answered.signal).then(() => {
        if (!answered.signal.aborted) stop.abort(new HeadersTimeout());
      });
      try {
        const answer = await Promise.race([follow(request, stop.signal), rejectOnAbort(stop.signal, request)]);
        answer.body.once('close', () => request.signal?.removeEventListener('abort', cancel));
        return answer;
      } catch (error) {
        request.signal?.removeEventListener('abort', cancel);
        throw error;
      } finally {
        answered.abort();
      }
    },
    close: () => agent.destroy(),
  };
}

function withinTime(lookup: Lookup, timers: Timers): Lookup {
  return async (host) => {
    const found = new AbortController();
    const late = timers.sleep(lookupTimeoutMs, found.signal).then(() => {
      throw Object.assign(new Error('the name service did not answer'), { code: 'EAI_AGAIN' });
    });
    try {
      return await Promise.race([lookup(host), late]);
    } finally {
      found.abort();
    }
  };
}

/** Aborts a request whose answer did not begin in time, over name lookup, connection and all hops. */
class HeadersTimeout extends Error {
  override readonly name = 'HeadersTimeout';
}

/** undici itself rejects an aborted request only once its connection is open or has failed. */
function rejectOnAbort(signal: AbortSignal, request: OutboundRequest): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = (): void => {
      const { url } = checkUrl(request.url, true);
      reject(asSentence(signal.reason, url, request));
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

function redirectTarget(answer: Dispatcher.ResponseData, from: URL): string | null {
  const location = flat(answer.headers['location']);
  if (!redirects.has(answer.statusCode) || location === undefined) return null;
  return URL.canParse(location, from.href) ? new URL(location, from.href).href : location;
}

function redirected(request: OutboundRequest, status: number, sameOrigin: boolean): OutboundRequest {
  const dropsBody = request.method === 'POST' && status <= 303;
  const headers = Object.entries(request.headers ?? {}).filter(([name]) =>
    (sameOrigin || !privateHeaders.has(name.toLowerCase())) && !(dropsBody && /^content-/i.test(name)));
  return {
    ...request,
    headers: Object.fromEntries(headers),
    method: dropsBody ? 'GET' : request.method,
    body: dropsBody ? undefined : request.body,
  };
}

function present(answer: Dispatcher.ResponseData, url: URL, request: OutboundRequest): OutboundAnswer {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) headers[name] = flat(value) ?? '';
  const body = Readable.from(withSentences(answer.body, url, request), { objectMode: false });
  // A body that nobody reads must not hold its connection.
  body.once('close', () => answer.body.on('error', () => {}).destroy());
  return { status: answer.statusCode, headers, url: url.href, body };
}

async function* withSentences(body: Readable, url: URL, request: OutboundRequest): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of body) yield part as Uint8Array;
  } catch (error) {
    throw asSentence(error, url, request);
  }
}

function flat(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Failures by their code; everything else shows the code itself. */
function asSentence(error: unknown, url: URL, request: OutboundRequest): unknown {
  if (error instanceof Problem || request.signal?.aborted) return error;
  const host = showHost(url);
  const code = connectionCode(error);
  if (error instanceof HeadersTimeout || code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new OutboundFailed('silent', `${host} did not begin its answer within ${request.headersTimeoutMs / 1000} s`, error);
  }
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return new OutboundFailed('incomplete', `${host} sent what is not HTTP, or more than it announced`, error);
  }
  const sentence = sentences[code]?.replace('{silence}', String(request.bodyTimeoutMs / 1000)) ?? describeConnectionFault(code);
  return new OutboundFailed(kinds[code] ?? (isCertificateFault(code) ? 'certificate' : 'unreachable'), `${host} ${sentence}`, error);
}

/** Failures after the connection stood; all others left the host unreachable. */
const kinds: Readonly<Record<string, OutboundFailed['kind']>> = {
  UND_ERR_BODY_TIMEOUT: 'silent',
  UND_ERR_SOCKET: 'incomplete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'incomplete',
};

/** Those that name a limit of ours. */
const sentences: Readonly<Record<string, string>> = {
  UND_ERR_BODY_TIMEOUT: 'sent nothing of its answer for {silence} s',
  UND_ERR_HEADERS_OVERFLOW: 'sent headers of more than 32 KB',
};
