import { repeat, type Background } from '@vouch/platform/process/repeat';
import type { Platform } from '@vouch/platform/product/product';
import { listExperiments, type Experiment } from './experimentStore.ts';
import { countUploads, type UploadPlatform } from './countUploads.ts';
import { countPage, removeSharedAnswers } from './outcomeStore.ts';

/** Longest time in ms between two counts. */
const countMs = 10_000;
/** Time that events wait until they are counted, in ms, unless the setting says otherwise. */
const usualLagMs = 30_000;

type CountPlatform = Pick<Platform, 'clock' | 'log'> & UploadPlatform;

/** Counts the outcomes of all experiments every 10 s, or three times per `lagMs` if that is more often, until `stop` is called. */
export function startCounting(platform: CountPlatform, lagMs: number): Background {
  return repeat(platform.timers, Math.min(countMs, lagMs / 3), (stopping) => countOutcomes(platform, lagMs, stopping).catch((error: unknown) => platform.log.warn({ err: error }, 'experiments cannot be read')));
}

/**
 * Counts the outcomes since the last count. Every server calls this function; the transaction that counts an event also advances the mark of the experiment,
 * so each event counts once.
 * @param lagMs time in ms that events wait until they are counted: the users of earlier answers are then stored, also by other servers whose clocks differ
 */
export async function countOutcomes(platform: CountPlatform, lagMs = usualLagMs, signal?: AbortSignal): Promise<void> {
  for (const experiment of await listExperiments(platform.database, null)) {
    try {
      await countOne(platform, experiment, lagMs, signal);
    } catch (error) {
      platform.log.warn({ err: error, experiment_id: experiment.id }, 'outcomes of an experiment could not be counted');
    }
  }
}

async function countOne(platform: CountPlatform, experiment: Experiment, lagMs: number, signal: AbortSignal | undefined): Promise<void> {
  const { clock, database } = platform;
  const now = clock.now();
  for (let more = true; more;) {
    if (signal?.aborted === true) return;
    more = await database.transaction((transaction) => countPage(transaction, experiment, new Date(now - lagMs), new Date(now)));
  }
  if (experiment.definition.mode === 'split') await countUploads(platform, experiment, new Date(now - lagMs), signal);
  else await removeSharedAnswers(database, experiment, new Date(now));
}
