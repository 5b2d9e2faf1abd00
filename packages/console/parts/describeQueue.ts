import type { TrainingRecord } from '@vouch/recommender/models/training/training.schema';
import type { RunRecord } from '@vouch/video/runs/run.schema';
import { counted } from './words.ts';

/** What a run without a stage waits for. */
export function describeQueue({ runs_ahead: ahead }: Pick<RunRecord, 'runs_ahead'>): string {
  return ahead ? `waiting for ${counted(ahead, 'run')} ahead` : 'waiting for a worker';
}

/**
 * What a training without a stage waits for: trainings of one model run one after the other.
 * @param open the open trainings of the model, the newest first; undefined if only the newest is known
 */
export function describeTurn({ created_at: at }: Pick<TrainingRecord, 'created_at'>, open: readonly Pick<TrainingRecord, 'created_at'>[] | undefined): string {
  if (open === undefined) return 'waiting for its turn';
  return open.at(-1)?.created_at === at ? 'waiting for a worker' : 'waiting for the training before';
}
