import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import type { ListRow, Training } from '../../packages/recommender/conformance/client.ts';
import { entitiesCsv, interactionsCsv } from '../../packages/recommender/conformance/sampleData.ts';
import { sparkOfTests } from '../../packages/recommender/testing/findSpark.ts';
import { manyInteractions } from './harness/catalogue.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

/** Timeout in ms; a Java virtual machine takes long to start and compile. */
const patience = 900_000;
const model_id = 'm';
/** Runs the SQL statements without Spark. */
const standIn = `${process.execPath} --import ${import.meta.resolve('tsx')} ${fileURLToPath(new URL('./harness/duckDbSubmit.ts', import.meta.url))}`;
/** A Spark cluster with two workers as separate processes. */
const cluster = sparkOfTests('local-cluster[2,1,1024]');
/** Messages and results of a training on one machine without Spark. */
let alone: { data: Training['data']; related: Map<string, number> };

async function upload({ client }: RunningVouch): Promise<void> {
  await client.upload([entitiesCsv({}), interactionsCsv()], ['first']);
  await client.upload([manyInteractions(400, 300, 20), interactionsCsv()], ['second']);
}

/** Returns the scores of all related items by source and target. */
async function relatedOf({ client }: RunningVouch): Promise<Map<string, number>> {
  await client.untilAnswering(model_id, 1);
  const rows: ListRow[] = await client.relatedRows({ model_id });
  return new Map(rows.map(({ source, target, score }) => [`${source} ${target}`, Number(score)]));
}

/** Returns the command lines of processes that work on a job in a folder; empty on systems without /proc. */
async function processesOf(folder: string): Promise<string[]> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(folder) && line.includes('driver.py'));
}

beforeAll(async () => {
  // Starts the servers one after another, because concurrent Java virtual machines and trainings overload a small machine.
  const vouch = await startVouch();
  try {
    await upload(vouch);
    const { data } = await vouch.client.train({ model_id });
    alone = { data, related: await relatedOf(vouch) };
  } finally {
    await vouch.stop();
  }
}, patience);

describe.skipIf(!exhaustive).each([['the statements in DuckDB', standIn], ['Spark', cluster]])('a training with %s', (_, command) => {
  let vouch: RunningVouch;

  beforeAll(async () => {
    if (command === null) return;
    vouch = await startVouch({ environment: { VOUCH_SPARK_SUBMIT: command } });
    await upload(vouch);
  }, patience);

  afterAll(() => vouch?.stop());

  it.skipIf(command === null)('gives the lists that it gives on one machine, and keeps what its stages gave', async () => {
    await vouch.client.begin({ model_id });
    const ended = await vouch.client.untilStatus(model_id);
    expect([ended.status, ended.error]).toEqual(['completed', null]);
    const { rows } = await vouch.database!.query<{ name: string }>('SELECT jsonb_object_keys(checkpoints) AS name FROM jobs');
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['spark-snapshot', 'spark-candidates']));
    expect(ended.data).toEqual(alone.data);
    const ours = alone.related;
    const theirs = await relatedOf(vouch);
    expect(ours.size).toBeGreaterThan(10_000);
    const differing = [...ours].filter(([pair, score]) => Math.abs((theirs.get(pair) ?? -1) - score) > 0.001);
    expect(differing.length / ours.size).toBeLessThan(0.01);
    expect(Math.abs(theirs.size - ours.size) / ours.size).toBeLessThan(0.01);
  }, patience);

  // Skipped with the DuckDB replacement, which finishes before it can be cancelled.
  it.skipIf(command === null || command === standIn)('can be cancelled while the job runs, and leaves no process behind', async () => {
    await vouch.client.begin({ model_id: 'stopped' });
    await vouch.client.untilStatus('stopped', ({ stage }) => stage === 'spark-snapshot');
    if (process.platform === 'linux') await vi.waitUntil(async () => (await processesOf(vouch.folder)).length > 0, { timeout: 120_000, interval: 10 });
    expect((await vouch.client.cancel('stopped')).status).toBe(200);
    expect((await vouch.client.untilStatus('stopped')).status).toBe('cancelled');
    expect(await processesOf(vouch.folder)).toEqual([]);
  }, patience);

  it.skipIf(command === null)('is found by doctor', async () => {
    expect(await vouch.run('doctor').catch((error: unknown) => String(error))).toMatch(/trainings prepare their data and compute candidates with Spark/);
  }, patience);
});
