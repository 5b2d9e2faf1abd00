import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { Client } from '../../packages/recommender/conformance/client.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

interface Results {
  users: { reached: number };
  arms: Record<'a' | 'b', { users: number; conversions: number }>;
}

let vouch: RunningVouch;
let client: Client;

beforeAll(async () => {
  vouch = await startVouch();
  ({ client } = vouch);
  const users = Array.from({ length: 12 }, (_, at) => `u${at}`);
  const rows = users.flatMap((user, at) => [0, 1, 2].map((step) => `purchase,${user},f${(at + step) % 8},,`));
  await client.upload([`type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}`], ['t']);
  expect(await client.train({ model_id: 'films' })).toMatchObject({ status: 'completed' });
});
afterAll(() => vouch.stop());

async function results(): Promise<Results> {
  return (await client.get('/v1/recommender/experiments/no-f0/results')).json<Results>();
}

it('runs an experiment from the first answer to the users that it reached', async () => {
  const arms = { a: { model_id: 'films' }, b: { model_id: 'films', filter: 'item.id != "f0"' } };
  expect(await client.send('PUT', '/v1/recommender/experiments/no-f0', { body: { arms, outcome: ['purchase'] } })).toMatchObject({ status: 200 });
  expect((await client.send('POST', '/v1/recommender/train', { body: { model_id: 'no-f0' } })).json<object>()).toMatchObject({ status: 422, detail: expect.stringMatching(/"no-f0" is the id of an experiment/) as string });
  const counts = { a: 0, b: 0 };
  for (let at = 0; at < 30; at += 1) {
    const answer = await client.send('POST', '/v1/recommender/recommend', { body: { model_id: 'no-f0', entity_id: `visitor ${at}`, unknown: 'trending' } });
    const { experiment, recommendation_id: id, recommendations } = answer.json<{ experiment: { arm: 'a' | 'b' }; recommendation_id: string; recommendations: { target_id: string }[] }>();
    expect(recommendations.some(({ target_id: target }) => target === 'f0')).toBe(experiment.arm === 'a');
    counts[experiment.arm] += 1;
    const interactions = [{ type: 'purchase', source_id: `visitor ${at}`, target_id: 'f1', recommendation_id: id }];
    if (at < 20) expect(await client.send('POST', '/v1/recommender/interactions', { body: { interactions } })).toMatchObject({ status: 202 });
  }
  await vi.waitUntil(async () => (await results()).users.reached === 30, { timeout: 120_000, interval: 200 });
  expect(await results()).toMatchObject({ arms: { a: { users: counts.a }, b: { users: counts.b } } });
});

exhaustiveTest('counts each outcome of the experiment once', async () => {
  // Outcomes are counted half a minute after they arrive.
  await vi.waitUntil(async () => {
    const { arms: { a, b } } = await results();
    return a.conversions + b.conversions === 20;
  }, { timeout: 180_000, interval: 1_000 });
});
