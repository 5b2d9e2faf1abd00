import type { FastifyInstance } from 'fastify';

/** Request headers that pages may set beside the ones that browsers allow anyway. */
const allowedHeaders = 'apikey, content-type, idempotency-key, if-none-match';
/** Answer headers that pages may read beside the ones that browsers allow anyway. */
const exposedHeaders = 'etag, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, x-experiment-arm, x-kept-per-type, x-model-version, x-request-id, x-unknown-entity-count';
/** Seconds for which a browser keeps the answer to a preflight request; Chromium keeps none for longer. */
const preflightSeconds = 7_200;

/**
 * Lets pages of these origins call the routes for web pages (CORS). `Access-Control-Allow-Credentials` is never sent, so browsers send no session cookie
 * of the console along, and other routes have no CORS headers. Call this function before the first such route is added.
 * @throws Error that names the first text that no browser sends as an origin
 */
export function addCrossOrigin(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed: ReadonlySet<string> = new Set(origins.map(requireOrigin));
  const methods = new Map<string, string[]>();

  server.addHook('onRoute', function addPreflight(route) {
    const { url, method, config } = route;
    if (config?.forPages !== true || method === 'OPTIONS') return;
    const known = methods.get(url);
    methods.set(url, [...(known ?? []), ...[method].flat()]);
    if (known === undefined) this.options(url, { config: { scope: null, forPages: true }, schema: { hide: true } }, async (_request, reply) => reply.code(204).send());
  });

  server.addHook('onRequest', (request, reply, done) => {
    const { config, url = '' } = request.routeOptions;
    if (config.forPages !== true) return done();
    // For caches: the answer depends on the origin also if the request has none.
    reply.header('vary', 'origin');
    const supported = methods.get(url)?.join(', ') ?? '';
    const isPreflight = request.method === 'OPTIONS';
    if (isPreflight) reply.header('allow', `${supported}, OPTIONS`);
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return done();
    reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders });
    if (isPreflight) reply.headers({ 'access-control-allow-methods': supported, 'access-control-allow-headers': allowedHeaders, 'access-control-max-age': preflightSeconds });
    done();
  });
}

function requireOrigin(entry: string): string {
  const expected = readOrigin(entry);
  if (expected === entry) return entry;
  const hint = expected === null ? 'Write scheme and host, and the port if it is not the default, for example https://shop.example.' : `Browsers send ${expected}; write it this way.`;
  throw new Error(`VOUCH_CORS_ORIGINS: ${JSON.stringify(entry.slice(0, 200))} is not an origin. ${hint}`);
}

/** Returns the origin as browsers send it. Origins of other schemes than http and https, such as capacitor://localhost, are taken as they are. */
function readOrigin(entry: string): string | null {
  if (!URL.canParse(entry)) return null;
  const { origin, protocol } = new URL(entry);
  return protocol === 'http:' || protocol === 'https:' ? origin : entry;
}
