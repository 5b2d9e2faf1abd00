import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../harness/place.ts';
import type { VouchPlace } from '../harness/vouchSubjects.ts';
import type { Backend, Balancer } from './balancer.ts';

export interface Freshness {
  modelId: string;
  /** Milliseconds from the end of each training until every ready server answered with its version. */
  delaysMs: readonly number[];
  faults: readonly string[];
  finish(): Promise<void>;
}

const modelId = 'fresh';
const pollMs = 50;
const pauseMs = 5_000;
const staleAfterMs = 120_000;

/** Trains one model again and again, and measures when each server answers with the new version. */
export function watchFreshness(place: VouchPlace, balancer: Balancer): Freshness {
  const client = clientOf(place);
  const delaysMs: number[] = [];
  const faults: string[] = [];
  const stop = new AbortController();

  async function versionOf({ host, port }: Backend): Promise<number> {
    const body = JSON.stringify({ model_id: modelId, entity_id: 'i0', max_recommendations: 1 });
    const answer = await fetch(`http://${host}:${port}/v1/recommender/recommend`, {
      method: 'POST', body, headers: { apikey: place.key, 'content-type': 'application/json' }, signal: AbortSignal.timeout(2_000),
    }).catch(() => null);
    return answer?.ok === true ? ((await answer.json()) as { model_version: number }).model_version : 0;
  }

  async function trainOnce(): Promise<void> {
    const started = await client.post('/v1/recommender/train', { model_id: modelId, data_tags: ['catalogue'], parameters: { setting: 'default' } }).catch(() => null);
    if (started?.status !== 202) return void (await sleep(pauseMs));
    const version = await untilServing();
    if (version === null) return;
    const ended = performance.now();
    for (;;) {
      const backends = balancer.ready();
      const versions = await Promise.all(backends.map(versionOf));
      // A server that a fault took away meanwhile is not asked.
      const behind = versions.filter((each, at) => each < version && balancer.ready().includes(backends[at] as Backend));
      if (backends.length > 0 && behind.length === 0) return void delaysMs.push(Math.round(performance.now() - ended));
      if (performance.now() - ended > staleAfterMs) return void faults.push(`version ${version} of ${modelId} is not on every ready server after ${staleAfterMs / 1_000} s: ${versions.join(', ')}`);
      await sleep(pollMs);
    }
  }

  /** Waits until the training has ended. @returns the version that serves, null after a training without one */
  async function untilServing(): Promise<number | null> {
    while (!stop.signal.aborted) {
      const answer = await client.get(`/v1/recommender/${modelId}/status`).catch(() => null);
      const { status, serving_version: version } = (answer?.status === 200 ? answer.body : {}) as { status?: string; serving_version?: number };
      if (status === 'completed') return version ?? null;
      if (status === 'error' || status === 'cancelled') return null;
      await sleep(pollMs);
    }
    return null;
  }

  async function watch(): Promise<void> {
    while (!stop.signal.aborted) {
      await trainOnce();
      await sleep(pauseMs);
    }
  }

  const watching = watch();
  watching.catch(() => undefined);
  return {
    modelId, delaysMs, faults,
    async finish() {
      stop.abort();
      await watching;
    },
  };
}
