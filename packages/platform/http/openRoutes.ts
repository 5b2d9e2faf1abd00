import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { Type } from 'typebox';
import { formatOpenMetrics, openMetricsType } from './formatOpenMetrics.ts';
import { identify, requireOperator, type Credentials } from './identity.ts';
import type { Readiness } from './readiness.ts';
import type { Traffic } from './traffic.ts';

/** Routes that answer even if the server is overloaded or shutting down. */
export const alwaysAnswered: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

interface OpenRoutes {
  readiness: Readiness;
  traffic: Traffic;
  metrics: Registry;
  credentials: Credentials;
  /** Whether the process sends traces, so that metrics have exemplars. */
  traces: boolean;
}

/** Adds `/healthz`, `/readyz` and `/metrics`. */
export function addOpenRoutes(server: FastifyInstance, { readiness, traffic, metrics, credentials, traces }: OpenRoutes): void {
  const open = { scope: null };
  server.get('/healthz', {
    config: open,
    exposeHeadRoute: true,
    schema: { operationId: 'getHealth', summary: 'Liveness of the process', tags: ['service'], response: { 200: Type.Object({ status: Type.String() }, { title: 'Health', examples: [{ status: 'ok' }] }) } },
  }, async () => ({ status: 'ok' }));

  const Ready = Type.Object({
    status: Type.String({ description: 'ready, degraded (requests that need the dependency with a fault fail, others are answered), not-ready, overloaded (other requests are currently rejected) or draining' }),
    checks: Type.Array(Type.Object({ name: Type.String(), status: Type.String() })),
  }, { title: 'Readiness', examples: [{ status: 'ready', checks: [{ name: 'database', status: 'ok' }] }] });
  server.get('/readyz', {
    config: open,
    exposeHeadRoute: true,
    schema: { operationId: 'getReadiness', summary: 'Readiness of the server', tags: ['service'], response: { 200: Ready, 503: Ready } },
  }, async (_request, reply) => {
    const { status: found, checks } = await readiness.now();
    const status = traffic.draining ? 'draining' : found === 'not-ready' ? found : traffic.overloaded ? 'overloaded' : found;
    return reply.code(status === 'ready' || status === 'degraded' ? 200 : 503).header('cache-control', 'no-store').send({ status, checks });
  });

  server.get('/metrics', {
    config: { ...open, problems: ['missing-key', 'unknown-key', 'expired-key', 'revoked-key', 'missing-scope', 'operator-only', 'too-many-wrong-keys'] },
    schema: {
      operationId: 'getMetrics',
      summary: 'Metrics in the Prometheus text format',
      description: 'Open on loopback; elsewhere requires a key of the organization `default` with the scope `admin`. A process that sends traces answers a request with `Accept: application/openmetrics-text` in OpenMetrics, where the buckets of request durations name a trace.',
      tags: ['service'],
      security: [{ apikey: [] }, {}],
      produces: ['text/plain', 'application/openmetrics-text'],
      response: { 200: Type.String() },
    },
  }, async (request, reply) => {
    if (!isLocal(request)) requireOperator(await identify(request, 'admin', credentials));
    if (traces && request.headers.accept?.includes('application/openmetrics-text') === true) return reply.type(openMetricsType).send(await formatOpenMetrics(metrics));
    return reply.type(metrics.contentType).send(await metrics.metrics());
  });
}

/** Returns whether the connection comes from this machine and not through a proxy. */
function isLocal(request: FastifyRequest): boolean {
  if (request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined) return false;
  const address = request.raw.socket.remoteAddress ?? '';
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
