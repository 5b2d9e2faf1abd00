import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { expectStatus } from '@vouch/platform/conformance/client';
import type { Client } from '../../packages/recommender/conformance/client.ts';
import { runVouch, startVouch } from './harness/startVouch.ts';

interface Arms { a: { users: number; conversions: number }; b: { users: number; conversions: number } }

let folder: string;
beforeAll(async () => { folder = await mkdtemp(join(tmpdir(), 'vouch-experiment-backup-')); });
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const users = Array.from({ length: 12 }, (_, at) => `visitor-${at}`);
const waiting = { timeout: 300_000, interval: 200 };
/** Outcomes count soon, or not before the test ends. */
const [soon, late] = [2, 3_600].map((seconds) => ({ VOUCH_EXPERIMENT_LAG_SECONDS: String(seconds) }));
const rule = { filter: 'item.id != "f7"', enabled: true };
const arms = { a: { model_id: 'films' }, b: { model_id: 'films', filter: 'item.id != "f0"' } };

const armsOf = async (client: Client): Promise<Arms> => expectStatus(await client.get('/v1/recommender/experiments/no-f0/results'), 200).json<{ arms: Arms }>().arms;
const reached = async (client: Client): Promise<number> => { const { a, b } = await armsOf(client); return a.users + b.users; };
const converted = async (client: Client): Promise<number> => { const { a, b } = await armsOf(client); return a.conversions + b.conversions; };

async function ask(client: Client, user: string): Promise<string> {
  const answer = expectStatus(await client.send('POST', '/v1/recommender/recommend', { body: { model_id: 'no-f0', entity_id: user, unknown: 'trending' } }), 200);
  const { experiment, rules, recommendations } = answer.json<{ experiment: { arm: string }; rules: string[]; recommendations: { target_id: string }[] }>();
  expect(rules).toEqual(['no-f7']);
  expect(recommendations.map(({ target_id: id }) => id)).not.toContain('f7');
  return experiment.arm;
}

async function buy(client: Client, buyers: readonly string[], firstId: number): Promise<void> {
  const interactions = buyers.map((user, at) => ({ id: `order-${firstId + at}`, type: 'purchase', source_id: user, target_id: 'f1' }));
  expectStatus(await client.send('POST', '/v1/recommender/interactions', { body: { interactions } }), 202);
}

exhaustiveTest('a running experiment goes on after a restore: with its rule, split, users and outcomes, and each event counts once', async () => {
  const backup = join(folder, 'backup');
  const first = { database: 'embedded', folder: join(folder, 'first') } as const;
  await mkdir(first.folder);
  let vouch = await startVouch({ ...first, environment: soon });
  const split = new Map<string, string>();
  try {
    const { client } = vouch;
    const rows = users.flatMap((_, at) => [0, 1, 2].map((step) => `purchase,u${at},f${(at + step) % 8},,`));
    await client.upload([`type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}`], ['t']);
    expect(await client.train({ model_id: 'films' })).toMatchObject({ status: 'completed' });
    expectStatus(await client.send('PUT', '/v1/recommender/rules/no-f7', { body: rule }), 200);
    expectStatus(await client.send('PUT', '/v1/recommender/experiments/no-f0', { body: { arms, outcome: ['purchase'] } }), 200);
    for (const user of users.slice(0, 10)) split.set(user, await ask(client, user));
    await vi.waitUntil(async () => (await reached(client)) === 10, waiting);
    await buy(client, users.slice(0, 3), 0);
    await vi.waitUntil(async () => (await converted(client)) === 3, waiting);
    await vouch.stop();
    vouch = await startVouch({ ...first, key: vouch.key, environment: late });
    // These two wait at the time of the backup.
    await buy(vouch.client, users.slice(3, 5), 3);
    await vouch.run('backup', backup);
    expect(await converted(vouch.client)).toBe(3);
  } finally {
    await vouch.stop();
  }
  const data = join(folder, 'restored');
  await runVouch(['restore', backup], { VOUCH_DATA: data });
  const restored = await startVouch({ database: 'embedded', folder: data, key: vouch.key, environment: soon });
  try {
    const { client } = restored;
    expect((await client.get('/v1/recommender/rules/no-f7')).json()).toMatchObject({ ...rule, status: 'in_force' });
    expect(await reached(client)).toBe(10);
    for (const [user, arm] of split) expect(await ask(client, user)).toBe(arm);
    for (const user of users.slice(10)) await ask(client, user);
    await vi.waitUntil(async () => (await reached(client)) === 12, waiting);
    // One event of before the backup again, one user again, and two new users.
    await buy(client, users.slice(4, 5), 4);
    await buy(client, [users[0] ?? '', ...users.slice(10)], 100);
    // Events count in the order of their arrival, so all events before the last one are counted when it is.
    await buy(client, users.slice(9, 10), 200);
    await vi.waitUntil(async () => (await converted(client)) >= 8, waiting);
    expect([await reached(client), await converted(client)]).toEqual([12, 8]);
    const { a, b } = await armsOf(client);
    const inA = [...split.values()].filter((arm) => arm === 'a').length;
    expect([a.users >= inA, b.users >= 10 - inA]).toEqual([true, true]);
  } finally {
    await restored.stop();
  }
});
