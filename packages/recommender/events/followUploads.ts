import { follow } from '@vouch/platform/database/follow';
import type { Background } from '@vouch/platform/process/repeat';
import type { Platform } from '@vouch/platform/product/product';
import { Gauge, type Registry } from 'prom-client';
import { batchesChannel } from '../batches/batchStore.ts';
import type { RecentUploads } from './recentUploads.ts';

/** Longest time between two looks at the database; notifications cause earlier looks. */
const pollMs = 1_000;

/** Keeps the uploaded interactions since the trainings in memory, until `stop` is called. */
export function followUploads(platform: Pick<Platform, 'database' | 'log' | 'timers'>, uploads: RecentUploads): Background {
  return follow(platform, { channel: batchesChannel, pollMs, what: 'uploaded interactions' }, (stopping) => uploads.look(stopping));
}

/** Adds a gauge for the files that do not count before the next training. */
export function measureUploads(metrics: Registry, uploads: RecentUploads): void {
  const waiting: Gauge = new Gauge({
    name: 'vouch_recommender_uploads_waiting',
    help: 'Uploaded files whose interactions count in the lists of this process only after the next training, because they take too much memory or cannot be read.',
    registers: [metrics],
    collect: () => waiting.set(uploads.waiting.length),
  });
}
