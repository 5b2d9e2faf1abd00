import type { FastifyInstance } from 'fastify';

/**
 * Adds CORS headers, so that web pages of the listed origins can send messages. Without listed origins no CORS header is sent: the
 * operators' clients are programs, to which CORS does not apply.
 */
export function addCrossOrigin(scope: FastifyInstance, origins: readonly string[], paths: readonly string[]): void {
  if (origins.length === 0) return;
  scope.addHook('onRequest', (request, reply, done) => {
    reply.header('vary', 'origin');
    const { origin } = request.headers;
    if (origin !== undefined && origins.includes(origin)) {
      reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', 'location, retry-after, x-request-id');
    }
    done();
  });
  for (const path of paths) {
    scope.options(path, { config: { scope: null }, schema: { hide: true } }, async (_request, reply) =>
      reply.code(204)
        .header('access-control-allow-methods', 'GET, POST')
        .header('access-control-allow-headers', 'content-type, x-app-id')
        .header('access-control-max-age', '600')
        .send());
  }
}
