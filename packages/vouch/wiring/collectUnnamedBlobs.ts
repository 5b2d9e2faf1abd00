import { collectBlobs } from '@vouch/platform/blobs/collectBlobs';
import type { Platform } from '@vouch/platform/product/product';
import { explainOwner, storeOf } from './storeOwnership.ts';

const intervalMs = 10 * 60_000;

/**
 * Runs blob collection every ten minutes, in one process at a time: marks blobs that no row references, and removes blobs that
 * have been marked for a day.
 */
export function collectUnnamedBlobs(
  platform: Pick<Platform, 'blobs' | 'database' | 'clock' | 'timers' | 'random' | 'log'>,
): { stop(): Promise<void> } {
  const { clock, timers, log } = platform;
  const stopping = new AbortController();
  const collect = async (): Promise<void> => {
    const done = await collectBlobs({ ...storeOf(platform), clock, log, signal: stopping.signal });
    const fault = done === null ? null : explainOwner(platform.blobs.place, done.owner);
    if (fault !== null) log.warn({ remedy: fault.remedy }, fault.detail);
  };
  const loop = async (): Promise<void> => {
    for (;;) {
      await timers.sleep(intervalMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await collect().catch((error: unknown) => log.warn({ err: error }, 'could not collect unreferenced blobs'));
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
