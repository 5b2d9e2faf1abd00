import type { JobContext } from '@vouch/platform/jobs/job';
import type { Platform } from '@vouch/platform/product/product';
import { findNewestBatch, snapshotBatches } from '../batches/batchStore.ts';
import { foldEvents } from '../events/foldEvents.ts';
import { findFold } from '../events/foldStore.ts';
import { aheadMs } from '../events/parseEvents.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { storeMarks } from './modelStore.ts';
import type { Snapshot } from './training/trainingAttempt.ts';
import type { StoredParameters } from './training/training.schema.ts';

const dayMs = 86_400_000;

/**
 * Lists the batches for a training, and the oldest and newest time of its interactions. Events that are in no batch yet become batches first.
 * @throws Problem `no-usable-data` if no batch matches the tags
 */
export async function takeSnapshot(platform: Platform, { job, scratch, signal }: JobContext, parameters: StoredParameters): Promise<Snapshot> {
  await foldEvents(platform, job.organizationId, { scratch, signal });
  const { marks, batches } = await platform.database.transaction(async (transaction) => {
    // The statements see the same state. Otherwise, the batches could contain events after the mark, which another process has folded meanwhile,
    // and trending items would count those events twice.
    await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    return {
      marks: { eventsThrough: await findFold(transaction, job.organizationId), batchesThrough: await findNewestBatch(transaction, job.organizationId) },
      batches: await snapshotBatches(transaction, job.organizationId, parameters.data_tags),
    };
  });
  await storeMarks(platform.database, job.id, marks);
  if (batches.length === 0) throw nothingUploaded(parameters.data_tags);
  const age = parameters.maximum_interaction_age_days;
  return {
    files: batches.map(({ blob, kind, sequence }) => ({ blob, kind, sequence })),
    cutoffMs: age === null ? null : platform.clock.now() - age * dayMs,
    latestMs: platform.clock.now() + aheadMs,
  };
}

function nothingUploaded(tags: readonly string[]): Error {
  return recommenderErrors.problem(
    'no-usable-data',
    tags.length === 0
      ? 'There is no data to train on: no batch has been uploaded. Upload CSV files with POST /v1/recommender/data_batch first.'
      : `There is no data to train on: no batch has any of the tags ${tags.map((tag) => JSON.stringify(tag)).join(', ')}. ` +
          'GET /v1/recommender/data_batch lists the batches and their tags.',
  );
}
