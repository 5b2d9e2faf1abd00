import type { Platform } from '@vouch/platform/product/product';
import type { Experiment } from './experimentStore.ts';
import { metricsOf } from './outcomeStore.ts';
import { readUpload } from './uploads/readUpload.ts';
import { countUploadedOutcomes, listUncounted, lockBatch, markCounted } from './uploadStore.ts';

/** Parts of the platform that a count of uploads uses. */
export type UploadPlatform = Pick<Platform, 'blobs' | 'database' | 'scratch' | 'timers'>;

/**
 * Counts the outcomes in uploaded files since the start of an experiment that splits users. Rows without a timestamp do not count, because they may be from before
 * the answer. The transaction that counts a file also marks it, so that each file counts, and counts once.
 * @param before files that were uploaded later wait
 */
export async function countUploads({ blobs, database, scratch, timers }: UploadPlatform, experiment: Experiment, before: Date, signal?: AbortSignal): Promise<void> {
  const { run, definition, startedAt } = experiment;
  const types = [...new Set(metricsOf(definition).flatMap((metric) => metric.types))];
  for (const { batchId, blob } of await listUncounted(database, experiment, before)) {
    if (signal?.aborted === true) return;
    await database.transaction(async (transaction) => {
      if (!(await lockBatch(transaction, run, batchId))) return;
      const request = { path: await blobs.localPath(blob), temporaryFolder: scratch, types, from: startedAt.getTime() };
      await readUpload(request, timers, (page) => countUploadedOutcomes(transaction, experiment, page));
      await markCounted(transaction, run, batchId);
    });
  }
}
