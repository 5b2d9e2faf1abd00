import { totalmem } from 'node:os';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';
import type { RecommenderSettings } from '../../config/recommenderSettings.ts';

const usualShare = 0.6;
const minMb = 512;

/**
 * Memory limit of one training process in MB: the setting, or 60 % of the memory of the machine (or of the container's limit)
 * divided by the number of concurrent trainings.
 */
export function trainingMemoryMb(settings: Pick<RecommenderSettings, 'train_memory' | 'training_concurrency'>): number {
  if (settings.train_memory > 0) return settings.train_memory;
  const limited = process.constrainedMemory();
  const bytes = limited > 0 ? Math.min(limited, totalmem()) : totalmem();
  return Math.max(minMb, Math.floor((usualShare * bytes) / 2 ** 20 / settings.training_concurrency));
}

/** @throws Problem training-too-large if the training needs more memory than allowed */
export function refuseTooLarge(neededBytes: number, allowedMb: number): void {
  const neededMb = Math.ceil(neededBytes / 2 ** 20);
  if (neededMb <= allowedMb) return;
  throw recommenderErrors.problem(
    'training-too-large',
    `The training would need about ${neededMb} MB of memory; its limit is ${allowedMb} MB. Raise VOUCH_TRAIN_MEMORY to ${neededMb} or more ` +
      'on a machine with more memory, or train on fewer batches (data_tags) or newer interactions (maximum_interaction_age_days).',
  );
}
