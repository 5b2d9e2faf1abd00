import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { Logger } from '../log/logger.ts';
import { RequestDurations } from './requestDurations.ts';
import type { Traffic } from './traffic.ts';

/** Writes the log line of each answer, and counts it by route template and status: never by path, which has no bound. */
export function addMeasures(server: FastifyInstance, log: Logger, metrics: Registry, traffic: Traffic): void {
  const durations = new RequestDurations(metrics);
  const inFlight: Gauge = new Gauge({
    name: 'vouch_http_requests_in_flight',
    help: 'Requests in work.',
    registers: [metrics],
    collect: () => inFlight.set(traffic.inFlight),
  });
  const logs = log.isLevelEnabled('info');
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeConfig?.url ?? 'none';
    const seconds = reply.elapsedTime / 1000;
    durations.count(request.method, route, reply.statusCode, seconds);
    if (logs) log.info({
      request_id: request.id,
      method: request.method,
      route,
      // Without the query: a signed link carries its signature there.
      path: request.raw.url?.split('?', 1)[0]?.slice(0, 300),
      status: reply.statusCode,
      ...(request.problemCode === null ? {} : { code: request.problemCode }),
      ...(request.identity === null ? {} : { organization_id: request.identity.organizationId, key_id: request.identity.keyId }),
      duration_ms: Math.round(seconds * 1e5) / 100,
    }, 'answered');
    done();
  });
}
