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
  const latenciesMs: number[] = [];
  const run = autocannon({
    url,
    connections,
    duration: seconds,
    headers: { apikey: key },
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
  return { requestsPerSecond: result.requests.total / result.duration, p99Ms: quantile(latenciesMs, 0.99) };
}
