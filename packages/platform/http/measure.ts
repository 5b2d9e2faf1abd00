import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Logger } from '../log/logger.ts';
import { hideKeys } from '../keys/apiKey.ts';
import type { KeyBrake } from './keyBrake.ts';
import { createRequestDurations } from './requestDurations.ts';
import type { StreamedAnswers } from './streamedAnswers.ts';
import { recordedTraceOfRequest, traceIdOfRequest } from './traceRequests.ts';
import type { Traffic } from './traffic.ts';
import type { WaitingConnections } from './waitingConnections.ts';

/** The parts of the server whose counters become metrics. */
export interface Measured {
  traffic: Traffic;
  connections: WaitingConnections;
  streams: StreamedAnswers;
  brake: KeyBrake;
}

/**
 * Writes one log line per answer, and counts answers by route template and status. Metrics never use the path as a label, because the number of paths
 * is unlimited.
 */
export function addMeasures(server: FastifyInstance, log: Logger, metrics: Registry, measured: Measured): void {
  const durations = createRequestDurations(metrics);
  addNumbers(metrics, measured);
  const logs = log.isLevelEnabled('info');
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeConfig?.url ?? 'none';
    const seconds = reply.elapsedTime / 1000;
    const recorded = recordedTraceOfRequest(request);
    durations.observe({ labels: { method: request.method, route, status: reply.statusCode }, value: seconds, exemplarLabels: recorded === null ? {} : { trace_id: recorded } });
    // Many wrong keys must not produce as many log lines. KeyBrake logs them once per minute.
    const traceId = traceIdOfRequest(request);
    if (logs && request.problemCode !== 'too-many-wrong-keys') log.info({
      request_id: request.id,
      ...(traceId === null ? {} : { trace_id: traceId }),
      method: request.method,
      route,
      // Logged without the query, because the query of a signed link contains its signature; and without keys that a client put into the path.
      path: hideKeys(request.raw.url?.split('?', 1)[0]?.slice(0, 300) ?? ''),
      status: reply.statusCode,
      ...(request.problemCode === null ? {} : { code: request.problemCode }),
      ...(request.identity === null ? {} : { organization_id: request.identity.organizationId, key_id: request.identity.keyId }),
      duration_ms: Math.round(seconds * 1e5) / 100,
    }, 'answered');
    done();
  });
}

function addNumbers(metrics: Registry, { traffic, connections, streams, brake }: Measured): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    const made: Gauge = new Gauge({ name, help, registers: [metrics], collect: () => made.set(read()) });
  };
  const counter = <Label extends string>(name: string, help: string, label: Label, read: () => Record<string, number>): void => {
    const made: Counter<Label> = new Counter({
      name, help, labelNames: [label], registers: [metrics],
      collect: () => {
        made.reset();
        for (const [value, count] of Object.entries(read())) made.inc({ [label]: value } as Record<Label, string>, count);
      },
    });
  };
  gauge('vouch_http_requests_in_flight', 'Requests in progress: received completely and not yet answered.', () => traffic.inFlight);
  gauge('vouch_http_connections_waiting', 'Connections that wait for a complete request.', () => connections.size);
  gauge('vouch_http_answers_streaming', 'Answers that are currently streamed.', () => streams.size);
  counter('vouch_http_requests_shed_total', 'Requests rejected because of a limit on concurrent work.', 'code', () => traffic.refused);
  counter('vouch_http_connections_closed_total', 'Connections that the server closed: too many from one IP address, too many in total, request too late, or client does not read the answer.',
    'reason', () => ({ ...connections.closed, unread: streams.cut }));
  counter('vouch_http_wrong_keys_total', 'Requests with an invalid API key, answered with 401 or 429.', 'outcome', () => ({ ...brake.counts }));
}
