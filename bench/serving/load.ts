import autocannon from 'autocannon';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { quantile } from '../harness/interleave.ts';

export interface LoadRequest {
  url: string;
  key: string;
  modelId: string;
  /** Requested uniformly at random, so that a response cache cannot help. */
  ids: readonly string[];
  seconds: number;
  seed: number;
}

export interface LoadReport {
  requestsPerSecond: number;
  p99Ms: number;
}

export const connections = 32;
/** Seconds after which a request counts as failed. */
const timeoutSeconds = 30;

/** Returns the path and query for 100 related items of one entity. */
export function relatedPath(modelId: string, id: string): string {
  return `/v1/recommender/related_items?model_id=${encodeURIComponent(modelId)}&entity_id=${encodeURIComponent(id)}`;
}

/**
 * Loads a server with as many requests as 32 connections can send.
 * @throws Error if any response is not 2xx, because error responses are cheap
 */
export async function runLoad({ url, key, modelId, ids, seconds, seed }: LoadRequest): Promise<LoadReport> {
  const random = seededRandom(seed);
  const { statuses, latenciesMs, seconds: took, failures } = await sendRequests({ url, key, connections, seconds, next: () => ({ path: relatedPath(modelId, random.pick(ids)) }) });
  const all = [...statuses.values()].reduce((sum, count) => sum + count, failures);
  const refused = all - failures - latenciesMs.length;
  if (failures + refused > 0) throw new Error(`${failures + refused} of ${all} requests to ${url} failed (${refused} were not 2xx)`);
  return { requestsPerSecond: latenciesMs.length / took, p99Ms: quantile(latenciesMs, 0.99) };
}

/** A request; with a body, a POST of JSON. */
export interface PlannedRequest {
  path: string;
  body?: string;
}

export interface SentRequests {
  /** Responses by status. */
  statuses: ReadonlyMap<number, number>;
  /** Latencies of responses 2xx, ms. */
  latenciesMs: readonly number[];
  /** Times of responses 2xx, in ms since the Unix epoch. */
  answeredMs: readonly number[];
  seconds: number;
  /** Number of requests without a response. */
  failures: number;
}

/**
 * Sends requests over the given number of connections, with any response.
 * @param options `rate`: requests/s over all connections; default: as many as are answered. `next`: returns the next request
 */
export async function sendRequests({ url, key, connections: count, seconds, rate, next }: {
  url: string; key: string; connections: number; seconds: number; rate?: number; next: () => PlannedRequest;
}): Promise<SentRequests> {
  const statuses = new Map<number, number>();
  const latenciesMs: number[] = [];
  const answeredMs: number[] = [];
  const run = autocannon({
    url, connections: count, duration: seconds, headers: { apikey: key }, timeout: timeoutSeconds, ...(rate === undefined ? {} : { overallRate: rate }),
    requests: [{ setupRequest: (request) => Object.assign(request, toRequest(next(), key)) }],
  });
  run.on('response', (_client, status, _bytes, milliseconds) => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status < 200 || status > 299) return;
    latenciesMs.push(milliseconds);
    answeredMs.push(performance.timeOrigin + performance.now());
  });
  const { errors, timeouts, duration } = await run;
  return { statuses, latenciesMs, answeredMs, seconds: duration, failures: errors + timeouts };
}

function toRequest({ path, body }: PlannedRequest, key: string): object {
  return body === undefined ? { method: 'GET', path } : { method: 'POST', path, body, headers: { apikey: key, 'content-type': 'application/json' } };
}
