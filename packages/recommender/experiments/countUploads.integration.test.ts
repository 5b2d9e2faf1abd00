import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { insertBatches } from '../batches/batchStore.ts';
import { Converters } from '../batches/parquet/converters.ts';
import { ExperimentServers } from '../testing/experimentServers.ts';
import type { ExperimentResults } from './experimentResults.schema.ts';

let servers: ExperimentServers;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-uploads-'));
  servers = await ExperimentServers.start(1);
  await servers.lists.publish('shop');
  const interactions = ['purchase', 'click'].map((type) => ({ type, source_id: 'somebody', target_id: 'film 001' }));
  await servers.call('POST', 'interactions', { interactions });
});
afterAll(async () => {
  await servers.close();
  await rm(folder, { recursive: true, force: true });
});

const arms = { a: { model_id: 'shop' }, b: { model_id: 'shop', filter: 'item.price < 50' } };
const ask = (experiment: string, user: string) => servers.call('POST', 'recommend', { model_id: experiment, entity_id: user, unknown: 'trending', max_recommendations: 3 });

/** Stores rows as an uploaded file. @returns id of the batch */
async function upload(rows: readonly string[], organization = 'acme'): Promise<string> {
  const work = await mkdtemp(join(folder, 'file-'));
  const contentPath = join(work, 'rows.csv');
  const parquetPath = join(work, 'rows.parquet');
  const content = `type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}\n`;
  await writeFile(contentPath, content);
  const converters = new Converters(systemInterfaces.timers);
  const converted = await converters.convert({
    owner: organization, contentBytes: content.length, contentPath, fileName: 'rows.csv', folder: work, parquetPath, maxBytes: 1e8, maxRows: 1e6, signal: new AbortController().signal,
  });
  await converters.close();
  expect(converted).toMatchObject({ outcome: 'converted', rows: rows.length });
  const { name: blob } = await servers.lists.platform.blobs.putFile(parquetPath);
  const batchId = randomUUID();
  const batch = { batchId, kind: 'interaction' as const, blob, rows: rows.length, csvBytes: content.length };
  await servers.lists.database.transaction((transaction) => insertBatches(transaction, organization, { batches: [batch], tags: [], at: new Date(servers.lists.now) }));
  return batchId;
}

exhaustiveTest('counts interactions of an uploaded file as outcomes: by user, type, time and organization, whichever process reads the file', async () => {
  const put = await servers.put('filed', { arms, outcome: ['purchase'], window_days: 1, guardrails: [{ metric: 'interactions', types: ['click'] }] });
  expect(put).toMatchObject({ status: 200 });
  const users = ['buys', 'buys twice', 'clicks', 'bought before', 'buys late', 'undated', 'abroad', "o'quote"];
  servers.passSeconds(600);
  for (const user of users) expect(await ask('filed', user)).toMatchObject({ status: 200 });
  servers.passSeconds(60);
  const after = new Date(servers.lists.now).toISOString();
  // After the start of the experiment, and before the answer.
  const before = new Date(servers.lists.now - 360_000).toISOString();
  const late = new Date(servers.lists.now + 2 * 86_400_000).toISOString();
  await upload([
    `purchase,buys,film 001,${after},`, `purchase,buys twice,film 001,${after},`, `purchase,buys twice,film 002,${after},`, `click,clicks,film 001,${after},`,
    `purchase,bought before,film 001,${before},`, `purchase,buys late,film 001,${late},`, 'purchase,undated,film 001,,', `purchase,nobody,film 001,${after},`,
    `view,buys,film 001,${after},`, `purchase,o'quote,film 001,${after},`,
  ]);
  // Many rows of others, so that the file has several pages.
  await upload(Array.from({ length: 25_000 }, (_, at) => `purchase,${at === 24_999 ? 'clicks' : `other ${at}`},film 003,${after},`));
  await upload([`purchase,abroad,film 001,${after},`], 'globex');
  await servers.count();
  await servers.count();
  const { rows } = await servers.lists.database.query<{ metric: number; user_id: string }>(
    `SELECT metric, user_id FROM experiment_outcomes JOIN experiments USING (run) WHERE experiment_id = 'filed' ORDER BY metric, user_id COLLATE "C"`);
  expect(rows.map(({ metric, user_id: user }) => `${metric} ${user}`)).toEqual(['0 buys', '0 buys twice', '0 clicks', "0 o'quote", '1 clicks']);
  const { body } = await servers.call<ExperimentResults>('GET', 'experiments/filed/results');
  expect([body.arms.a.conversions + body.arms.b.conversions, body.guardrails[0]?.a.affected, body.guardrails[0]?.b.affected].map(Number)).toEqual([4, expect.any(Number), expect.any(Number)]);
});

exhaustiveTest('reads a file once for each experiment, waits until the users before it are stored, and goes on after a deleted file', async () => {
  await servers.put('later', { arms, outcome: ['purchase'] });
  await ask('later', 'slow');
  const counted = async (): Promise<string[]> => (await servers.lists.database.query<{ batch_id: string }>(
    `SELECT batch_id FROM experiment_batches JOIN experiments USING (run) WHERE experiment_id = 'later'`)).rows.map((row) => row.batch_id);
  servers.passSeconds(3_700);
  const deleted = await upload([`purchase,slow,film 001,${new Date(servers.lists.now).toISOString()},`]);
  await servers.lists.database.query('DELETE FROM batches WHERE batch_id = $1', [deleted]);
  const kept = await upload([`purchase,slow,film 001,${new Date(servers.lists.now).toISOString()},`]);
  await servers.count();
  expect(await counted()).toContain(kept);
  expect(await counted()).not.toContain(deleted);
  const { body } = await servers.call<ExperimentResults>('GET', 'experiments/later/results');
  expect(body.arms.a.conversions + body.arms.b.conversions).toBe(1);
  await servers.call('DELETE', 'experiments/later');
  expect(await counted()).toEqual([]);
});
