import type { Timers } from '../process/systemInterfaces.ts';
import { withinTime } from '../process/withinTime.ts';
import { connectGuarded, lookupAll, type Lookup } from './connectGuarded.ts';
import { checkUrl, parseAllowed, showHost, type AllowedAddresses } from './guard.ts';
import { openConnections } from './openConnections.ts';
import { OutboundFailed, type OutboundAnswer, type OutboundHttp, type OutboundRequest } from './outbound.ts';

/** Time limit in ms for name lookups. Without it, the system's resolver can take minutes. */
const lookupTimeoutMs = 10_000;
const connectionsPerOrigin = 16;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that are dropped on a redirect to another origin. */
const privateHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

export interface OutboundOptions {
  /** Private IP addresses that are allowed: `true` for all, or entries of the form `host:port`. */
  allowPrivateAddresses: AllowedAddresses;
  /** Resolves host names. Default: the system's resolver. */
  lookup?: Lookup;
}

/**
 * Creates the HTTP client for URLs from users. Proxies of the environment are not used, because a proxy would resolve host names itself and bypass
 * the checks.
 * @example
 * const outbound = createOutbound({ allowPrivateAddresses: false }, systemInterfaces.timers);
 * const answer = await outbound.request({ url, method: 'GET', headersTimeoutMs: 10_000, bodyTimeoutMs: 10_000, maxRedirects: 5 });
 */
export function createOutbound(options: OutboundOptions, timers: Timers): OutboundHttp {
  const allowed = parseAllowed(options.allowPrivateAddresses);
  const lookup = limitLookup(options.lookup ?? lookupAll, timers);
  const connections = openConnections({ connectionsPerOrigin, keep: false, guard: (connect) => connectGuarded(connect, lookup, allowed) }, timers);

  const follow = async (request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> => {
    let { url } = checkUrl(request.url, allowed);
    let current = request;
    for (let count = 0; ; count += 1) {
      const { method, headers, body, bodyTimeoutMs } = current;
      const answer = await connections.send(url, { method, headers, body, signal, silenceMs: bodyTimeoutMs });
      const target = redirectTarget(answer, url);
      if (target === null || request.maxRedirects === 0) return answer;
      answer.body.destroy();
      if (count === request.maxRedirects) {
        throw new OutboundFailed('redirects', showHost(url), `redirected more than ${request.maxRedirects} times`);
      }
      const next = checkUrl(target, allowed).url;
      current = redirected(current, answer.status, next.origin === url.origin);
      url = next;
    }
  };

  return {
    check: (url) => void checkUrl(url, allowed),
    request: async (request) => {
      const { signal, headersTimeoutMs } = request;
      const stop = new AbortController();
      const cancel = (): void => stop.abort(signal?.reason);
      const forget = (): void => signal?.removeEventListener('abort', cancel);
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      const answered = new AbortController();
      void timers.sleep(headersTimeoutMs, answered.signal, false).then(() => {
        if (answered.signal.aborted) return;
        const host = showHost(checkUrl(request.url, true).url);
        stop.abort(new OutboundFailed('silent', host, `did not start to answer within ${headersTimeoutMs / 1000} s`));
      });
      try {
        const answer = await follow(request, stop.signal);
        // The body may already have failed and closed, so 'close' would not be emitted again.
        if (answer.body.closed) forget();
        else answer.body.once('close', forget);
        return answer;
      } catch (error) {
        forget();
        throw error;
      } finally {
        answered.abort(null);
      }
    },
    close: async () => connections.close(),
  };
}

function limitLookup(lookup: Lookup, timers: Timers): Lookup {
  const fault = (): Error => Object.assign(new Error('the DNS server did not answer'), { code: 'EAI_AGAIN' });
  return (host) => withinTime({ timeoutMs: lookupTimeoutMs, timers, fault }, () => lookup(host));
}

function redirectTarget({ status, headers: { location } }: OutboundAnswer, from: URL): string | null {
  if (!redirects.has(status) || location === undefined) return null;
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
