import { createJobQueue } from '@vouch/platform/jobs/queue';
import type { JobStatus } from '@vouch/platform/jobs/job';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { insertTraining } from './modelStore.ts';
import { trainKind } from './train.job.ts';
import { trainingsCheck } from './trainingsCheck.ts';

let database: TestDatabase;
let minute = 0;

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [{ product: 'recommender', folder: new URL('../migrations/', import.meta.url) }] });
});
afterAll(() => database.close());

/** A training that ended, or that is still queued. Each ends one minute after the one before. */
async function train(modelId: string, status: JobStatus, detail = ''): Promise<void> {
  const queue = createJobQueue(database, systemInterfaces);
  const parameters = { setting: 'auto' as const, seed: 1, data_tags: [], maximum_interaction_age_days: null };
  const id = await database.transaction(async (transaction) => {
    const job = await queue.enqueue(transaction, { organizationId: 'acme', kind: trainKind, subject: modelId, input: {} });
    await insertTraining(transaction, 'acme', { jobId: job.id, modelId, parameters, callbackUrl: null, warnings: [], schedule: null });
    return job.id;
  });
  if (status === 'queued') return;
  const error = status === 'error' ? JSON.stringify(recommenderErrors.problem('training-failed', detail).toRecord()) : null;
  minute += 1;
  await database.query(`UPDATE jobs SET status = $2, error = $3, completed_at = $4 WHERE id = $1`, [id, status, error, new Date(Date.UTC(2026, 0, 1, 0, minute))]);
}

const findings = (): Promise<object[]> => trainingsCheck({ database }).run();
const fine = [{ status: 'ok', detail: 'the last training of every model completed' }];

it('names each model whose last training failed, its error and the next step, until a later training completes', async () => {
  expect(await findings()).toEqual(fine);
  await train('fine', 'completed');
  await train('films', 'completed');
  await train('films', 'error', 'The training needs more than its 512 MB of memory.');
  const failed = [{
    status: 'warning', code: 'last-training-failed',
    detail: 'the last training of the model films of the organization acme failed at 2026-01-01T00:03:00.000Z; the model has no version that answers queries. The training needs more than its 512 MB of memory. (training-failed)',
    remedy: 'Follow the message and docs/errors/training-failed.md, then train the model again: POST /v1/recommender/train with model_id films.',
  }];
  expect(await findings()).toEqual(failed);
  await train('films', 'cancelled');
  await train('films', 'queued');
  expect(await findings()).toEqual(failed);
  await train('films', 'completed');
  expect(await findings()).toEqual(fine);
});

it('names at most 20 models, those that failed last', async () => {
  for (let model = 0; model < 22; model += 1) await train(`model-${model}`, 'error', 'The error.');
  const named = (await findings()).map((finding) => /model (\S+) of/.exec((finding as { detail: string }).detail)?.[1]);
  expect(named).toEqual(Array.from({ length: 20 }, (_, place) => `model-${21 - place}`));
});
