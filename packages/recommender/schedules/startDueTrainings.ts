import { repeat, type Background } from '@vouch/platform/process/repeat';
import type { Platform } from '@vouch/platform/product/product';
import { startTraining } from '../models/startTraining.ts';
import { trainingsOf } from '../models/train.job.ts';
import { nextDue } from './cron.ts';
import { listSchedules, lockSchedule, recordRun, type Schedule } from './scheduleStore.ts';

const checkMs = 10_000;

/** Parts of the platform that schedules use. */
export type SchedulePlatform = Pick<Platform, 'clock' | 'database' | 'jobs' | 'log' | 'publicUrl'>;

/** Starts due trainings every 10 s until `stop` is called; the first time immediately. */
export function startSchedules(platform: SchedulePlatform & Pick<Platform, 'timers'>): Background {
  return repeat(platform.timers, checkMs, () => startDueTrainings(platform).catch((error: unknown) => platform.log.warn({ err: error }, 'schedules of trainings could not be checked')));
}

/**
 * Starts the trainings whose schedules are due. Every server calls this function: a due time starts one training, because one transaction locks the
 * schedule, inserts the training and moves the schedule to its next time. While a training of a model is not complete, its schedule waits, so missed times
 * start one training together.
 */
export async function startDueTrainings(platform: SchedulePlatform): Promise<void> {
  for (const { organizationId, modelId } of await listSchedules(platform.database, null)) {
    try {
      const isBusy = (await platform.jobs.listOpen(organizationId, trainingsOf(organizationId, modelId))).length > 0;
      await runIfDue(platform, organizationId, modelId, isBusy);
    } catch (error) {
      platform.log.warn({ err: error, model_id: modelId }, 'a scheduled training could not be started');
    }
  }
}

async function runIfDue(platform: SchedulePlatform, organizationId: string, modelId: string, isBusy: boolean): Promise<void> {
  const started = await platform.database.transaction(async (transaction) => {
    const schedule = await lockSchedule(transaction, organizationId, modelId);
    if (schedule === null || isBusy) return null;
    const now = platform.clock.now();
    const cause = findCause(schedule, now);
    if (cause === null) return null;
    await startTraining(platform, transaction, { organizationId, modelId, ...schedule.training, schedule: cause, traceparent: null });
    await recordRun(transaction, schedule, new Date(now), nextRun(schedule, now));
    return cause;
  });
  if (started !== null) platform.log.info({ model_id: modelId, ...started }, 'a schedule started a training');
}

function findCause({ cron, nextRunAt, afterInteractions, newInteractions }: Schedule, now: number) {
  if (nextRunAt !== null && nextRunAt.getTime() <= now) return { cron, due_at: nextRunAt.toISOString(), new_interactions: newInteractions };
  if (afterInteractions !== null && newInteractions >= afterInteractions) return { cron: null, due_at: null, new_interactions: newInteractions };
  return null;
}

/** A due time never starts a second training, even on a server whose clock is behind. */
function nextRun({ cron, timezone, nextRunAt }: Schedule, now: number): Date | null {
  if (cron === null || nextRunAt === null) return null;
  if (nextRunAt.getTime() > now) return nextRunAt;
  const next = nextDue(cron, timezone, Math.max(now, nextRunAt.getTime()));
  if (next === null) throw new Error(`the cron expression ${cron} is never due again`);
  return new Date(next);
}
