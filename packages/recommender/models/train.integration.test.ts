import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job, JobContext } from '@vouch/platform/jobs/job';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Platform } from '@vouch/platform/product/product';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';
import type { RecommenderSettings } from '../config/recommenderSettings.ts';
import { BatchTestServer } from '../testing/batchTestServer.ts';
import { trainJob, type TrainInput } from './train.job.ts';
import { MemoryBudget } from './training/memoryBudget.ts';

const rows = Array.from({ length: 600 }, (_, row) => `view,user ${row % 40},item ${(row * 7 + (row % 40)) % 30},,`);

let batches: BatchTestServer;

beforeAll(async () => {
  batches = await BatchTestServer.start();
  const csv = ['type,source_id,target_id,timestamp,metadata', ...rows].join('\n');
  expect((await batches.upload([['files', csv, 'interactions.csv']])).status).toBe(201);
});

afterAll(() => batches.close());

interface Running {
  /** Finished stages in order. */
  stages: string[];
  /** Scheduling of the training processes when they were started, each `nice policy`. */
  scheduling: string[];
  done: Promise<unknown>;
}

let attempts = 0;

/** Runs the job of a training without a queue. */
async function run(settings: Partial<RecommenderSettings>, memory: MemoryBudget, signal = new AbortController().signal): Promise<Running> {
  const platform = { ...systemInterfaces, database: batches.database, blobs: batches.blobs, log: createLogger('silent') } as unknown as Platform;
  const scratch = join(batches.scratch, `attempt ${attempts++}`);
  await mkdir(scratch);
  const input: TrainInput = { modelId: 'm', parameters: { setting: 'default', seed: 1, data_tags: [], maximum_interaction_age_days: null } };
  const running: Running = { stages: [], scheduling: [], done: Promise.resolve() };
  const context: JobContext = {
    job: { id: '00000000-0000-4000-8000-000000000000', organizationId: 'acme', input } as Job,
    signal, scratch,
    watch: (processId) => running.scheduling.push(findScheduling(processId)),
    progress: () => {},
    stage: async (name, work) => {
      const result = await work();
      running.stages.push(name);
      return result;
    },
  };
  const defaults = { train_memory: 0, training_concurrency: 0, train_niceness: 0, kept_versions: 3 } as RecommenderSettings;
  running.done = trainJob(platform, { ...defaults, ...settings }, memory).run(context);
  running.done.catch(() => {});
  return running;
}

/** Niceness and policy of a process: the 19th and 41st field of its line, counted after the name, which may contain blanks. */
function findScheduling(processId: number): string {
  if (process.platform !== 'linux') return 'unknown';
  const fields = readFileSync(`/proc/${processId}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return `${fields[16]} ${fields[38]}`;
}

const normalPolicy = 0;

test.skipIf(process.platform !== 'linux').each(sampleOf([5, 0], 1))('a training with niceness %i has this niceness and the normal policy', async (niceness) => {
  const { done, scheduling } = await run({ train_niceness: niceness }, new MemoryBudget(1_000));
  await done;
  expect(scheduling).toEqual([`${niceness} ${normalPolicy}`]);
});

exhaustiveTest('a training without room ends its process, waits until others give memory back, and completes', async () => {
  const memory = new MemoryBudget(1_000);
  const release = await memory.reserve(1_000, new AbortController().signal);
  const training = await run({}, memory);
  while (!training.stages.includes('arrays')) await systemInterfaces.timers.sleep(10);
  await systemInterfaces.timers.sleep(300);
  expect(training.stages).toEqual(['snapshot', 'arrays']);
  release();
  await training.done;
  expect(training.stages).toEqual(['snapshot', 'arrays', 'factors', 'neighbours', 'evaluate', 'write']);
  expect(training.scheduling).toHaveLength(2);
  expect(memory.hasRoom(1_000)).toBe(true);
});

test('a training that is cancelled while it waits for memory ends, and holds none', async () => {
  const memory = new MemoryBudget(1_000);
  const release = await memory.reserve(1_000, new AbortController().signal);
  const cancel = new AbortController();
  const training = await run({}, memory, cancel.signal);
  while (!training.stages.includes('arrays')) await systemInterfaces.timers.sleep(10);
  cancel.abort(new Error('cancelled'));
  await expect(training.done).rejects.toThrow('cancelled');
  release();
  expect(memory.hasRoom(1_000)).toBe(true);
});
