import autocannon from 'autocannon';
import { seededRandom } from '../../packages/recommender/sample/seededRandom.ts';
import { quantile } from '../harness/interleave.ts';

export interface LoadRequest {
  url: string;
  key: string;
  modelId: string;
  /** Asked about uniformly at random, so that no cache of answers can help. */
  ids: readonly string[];
  seconds: number;
  seed: number;
  /** Requests/s; as fast as 32 connections allow where it is left out. */
  rate?: number;
}

export interface LoadReport {
  requestsPerSecond: number;
  p99Ms: number;
}

export const connections = 32;

/** Address of the related items of one entity, 100 of them. */
export function relatedPath(modelId: string, id: string): string {
  return `/v1/recommender/related_items?model_id=${encodeURIComponent(modelId)}&entity_id=${encodeURIComponent(id)}`;
}

/** Loads a server with 32 connections. @throws Error where any answer was not 2xx, since such answers are cheap */
export async function runLoad({ url, key, modelId, ids, seconds, seed, rate }: LoadRequest): Promise<LoadReport> {
  const random = seededRandom(seed);
  const latenciesMs: number[] = [];
  const run = autocannon({
    url,
    connections,
    duration: seconds,
    headers: { apikey: key },
    ...(rate === undefined ? {} : { overallRate: rate }),
    requests: [{
      method: 'GET',
      setupRequest: (request) => Object.assign(request, { path: relatedPath(modelId, random.pick(ids)) }),
    }],
  });
  run.on('response', (_client, _status, _bytes, milliseconds) => latenciesMs.push(milliseconds));
  const result = await run;
  const failures = result.errors + result.timeouts + result.non2xx;
  if (failures > 0) {
    throw new Error(`${failures} of ${result.requests.total} requests to ${url} failed (${result.non2xx} were not 2xx)`);
  }
  const corrected = rate === undefined ? latenciesMs : correctOmission(latenciesMs, (1000 * connections) / rate);
  return { requestsPerSecond: result.requests.total / result.duration, p99Ms: quantile(corrected, 0.99) };
}

/**
 * Adds the requests that a slow answer kept from being sent at their time (coordinated omission, Tene 2013): an answer
 * of 50 ms on a connection due every 20 ms stands for one of 30 ms and one of 10 ms as well.
 * @param intervalMs time between two requests of one connection
 */
export function correctOmission(latenciesMs: readonly number[], intervalMs: number): number[] {
  return latenciesMs.flatMap((latency) => {
    const values = [latency];
    for (let rest = latency - intervalMs; rest > 0; rest -= intervalMs) values.push(rest);
    return values;
  });
}
