import { collectBlobs } from '@vouch/platform/blobs/collectBlobs';
import { isOwnStore } from '@vouch/platform/blobs/storeOwner';
import { jobBlobReferences } from '@vouch/platform/jobs/jobState';
import type { OpenPlatform } from './openPlatform.ts';
import { products } from './products.ts';

const intervalMs = 10 * 60_000;

/** SQL that names every blob that is still wanted; also what a backup copies. */
export const blobReferences: readonly string[] = [jobBlobReferences, ...products.map((product) => product.blobReferences)];

/** Removes blobs that nothing names, every ten minutes, in one process at a time. A store that is new is marked at once. */
export function collectUnnamedBlobs(platform: OpenPlatform): { stop(): Promise<void> } {
  const { blobs, database, clock, timers, log } = platform;
  const stopping = new AbortController();
  const collect = async (): Promise<void> => {
    const removed = await collectBlobs({ blobs, database, clock, references: blobReferences, signal: stopping.signal });
    if (removed.blobs > 0) log.info(removed, 'blobs that nothing names were removed');
  };
  const loop = async (): Promise<void> => {
    for (let first = true; !stopping.signal.aborted; first = false) {
      try {
        const own = await isOwnStore(platform, blobReferences, true);
        if (!own) log.warn('the store holds blobs of another database, so none is removed; vouch doctor says more');
        else if (!first) await collect();
      } catch (error) {
        log.warn({ err: error }, 'blobs could not be collected');
      }
      await timers.sleep(intervalMs, stopping.signal);
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
