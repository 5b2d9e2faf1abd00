import type { Platform } from '@vouch/platform/product/product';
import { findTraining } from '../models/modelStore.ts';
import { ModelCache } from './modelCache.ts';

/** Each open model keeps up to 256 MB in memory, so this many take 2 GB at most. */
const maxOpen = 8;
const pollMs = 5_000;

/** The open models of one process, kept up to date until `close`. */
export function startServing(platform: Platform): { models: ModelCache; close(): Promise<void> } {
  const { database, blobs, log, timers } = platform;
  const models = new ModelCache({
    database,
    blobs,
    log,
    timers,
    maxOpen,
    async trainingStatus(organizationId, modelId) {
      const training = await findTraining(database, organizationId, modelId);
      const job = training === null ? null : await platform.jobs.get(organizationId, training.jobId);
      return job?.status ?? 'unknown';
    },
  });
  const stopping = new AbortController();
  const following = follow();

  async function follow(): Promise<void> {
    await models.start().catch((error: unknown) => log.warn({ err: error }, 'announcements of models cannot be heard; polling'));
    while (!stopping.signal.aborted) {
      await timers.sleep(pollMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await models.poll().catch((error: unknown) => log.warn({ err: error }, 'versions of models cannot be looked up'));
    }
  }

  return {
    models,
    async close() {
      stopping.abort();
      await following;
      await models.close();
    },
  };
}
