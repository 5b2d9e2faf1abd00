import type { JobKind } from '@vouch/platform/jobs/job';
import { runUntilStopped, type Background } from '@vouch/platform/process/repeat';
import type { Platform } from '@vouch/platform/product/product';
import { Converters } from '../batches/parquet/converters.ts';
import { removeFolded } from './eventStore.ts';
import { foldEvents, type FileConverters, type FoldPlatform } from './foldEvents.ts';
import { listDue } from './foldStore.ts';
import { keptEvents } from './recentEvents.ts';

const foldKind = 'recommender.fold';
/** Events become a batch when this many wait, or when the oldest has waited this long; a training folds all of them before it starts. */
const dueEvents = 100_000;
const dueMs = 3_600_000;
/** Time for which ids of events are kept, so that a repeated event is recognized. */
const idsKeptMs = 24 * 3_600_000;
const removedAtOnce = 10_000;
const checkMs = 60_000;

/** The job that moves the events of one organization to batches. */
export function foldJob(platform: FoldPlatform, openConverters: () => FileConverters = () => new Converters(platform.timers)): JobKind {
  return {
    name: foldKind,
    stages: [{ name: 'fold', share: 1 }],
    concurrency: 1,
    maxAttempts: 10,
    async run({ job, signal, scratch, stage }) {
      await stage('fold', async () => foldEvents(platform, job.organizationId, { scratch, signal, converters: openConverters() }));
      return async () => {};
    },
  };
}

type TidyPlatform = Pick<Platform, 'clock' | 'database' | 'jobs' | 'log' | 'timers'>;

/** Starts jobs for organizations with many or old events, and removes events that are no longer needed, until `stop` is called. */
export function startFolding(platform: TidyPlatform): Background {
  const { timers, log } = platform;
  return runUntilStopped(async (stopping) => {
    while (!stopping.aborted) {
      await timers.sleep(checkMs, stopping);
      if (!stopping.aborted) await tidyEvents(platform).catch((error: unknown) => log.warn({ err: error }, 'events could not be folded'));
    }
  });
}

/** Enqueues the jobs that are due, and removes folded events. */
async function tidyEvents({ database, jobs, clock }: TidyPlatform): Promise<void> {
  for (const organizationId of await listDue(database, new Date(clock.now() - dueMs), dueEvents)) {
    const serialKey = `${foldKind}/${organizationId}`;
    if ((await jobs.listOpen(organizationId, serialKey)).length > 0) continue;
    await database.transaction((transaction) => jobs.enqueue(transaction, { organizationId, kind: foldKind, subject: 'events', input: null, serialKey }));
  }
  const before = new Date(clock.now() - idsKeptMs);
  while ((await removeFolded(database, before, keptEvents, removedAtOnce)) === removedAtOnce);
}
