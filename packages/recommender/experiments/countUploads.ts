import type { Platform } from '@vouch/platform/product/product';
import { InteractionReader } from '../uploads/interactionReader.ts';
import type { Experiment } from './experimentStore.ts';
import { metricsOf } from './outcomeStore.ts';
import { countUploadedOutcomes, listUncounted, lockBatch, markCounted } from './uploadStore.ts';

/** Parts of the platform that a count of uploads uses. */
export type UploadPlatform = Pick<Platform, 'blobs' | 'database' | 'scratch' | 'timers'>;

/**
 * Counts the outcomes in uploaded files since the start of an experiment that splits users. Rows without a timestamp do not count, because they may be from before
 * the answer. A file is marked after its outcomes are stored. If the process ends before, the file is read again, which stores no outcome twice.
 * @param before files that were uploaded later wait
 */
export async function countUploads({ blobs, database, scratch, timers }: UploadPlatform, experiment: Experiment, before: Date, signal?: AbortSignal): Promise<void> {
  const { run, definition, startedAt } = experiment;
  const types = [...new Set(metricsOf(definition).flatMap((metric) => metric.types))];
  const reader = new InteractionReader(timers, 10);
  try {
    for (const { batchId, blob } of await listUncounted(database, experiment, before)) {
      if (signal?.aborted === true) return;
      const isCounted = await database.transaction(async (transaction) => {
        if (!(await lockBatch(transaction, run, batchId))) return false;
        const request = { path: await blobs.localPath(blob), temporaryFolder: scratch, types, from: startedAt.getTime(), bySource: false };
        await reader.read(request, (page) => countUploadedOutcomes(transaction, experiment, page));
        return true;
      });
      if (isCounted) await database.transaction((transaction) => markCounted(transaction, experiment, batchId));
    }
  } finally {
    await reader.end();
  }
}
