import { availableParallelism, totalmem } from 'node:os';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';
import type { RecommenderSettings } from '../../config/recommenderSettings.ts';

const usualShare = 0.6;
const minMb = 512;
/** Memory per training slot if no setting limits a training: enough for about 8 million interactions. */
const slotMb = 3_072;

type MemorySettings = Pick<RecommenderSettings, 'train_memory' | 'training_concurrency'>;

/** Processors and memory that this process may use. */
interface Machine {
  processors: number;
  memoryBytes: number;
}

/** This machine, or the container's memory limit. */
function thisMachine(): Machine {
  const limited = process.constrainedMemory();
  return { processors: availableParallelism(), memoryBytes: limited > 0 ? Math.min(limited, totalmem()) : totalmem() };
}

/**
 * Number of trainings that run at once in this worker process: the setting, or one per processor as far as 60 % of the memory has room for the
 * limit of each training (for 3 GB each, if no limit is set).
 */
export function trainingSlots(settings: MemorySettings, machine: Machine = thisMachine()): number {
  if (settings.training_concurrency > 0) return settings.training_concurrency;
  const perSlotMb = settings.train_memory > 0 ? settings.train_memory : slotMb;
  return Math.max(1, Math.min(machine.processors, Math.floor(usualMb(machine) / perSlotMb)));
}

/** Memory limit of one training process in MB: the setting, or 60 % of the memory of the machine (or of the container's limit). */
export function trainingMemoryMb({ train_memory: set }: MemorySettings, machine: Machine = thisMachine()): number {
  return set > 0 ? set : usualMb(machine);
}

/** Memory in MB that all trainings of this worker process share. If a limit per training is set, each slot has this much. */
export function sharedMemoryMb(settings: MemorySettings, machine: Machine = thisMachine()): number {
  return trainingMemoryMb(settings, machine) * (settings.train_memory > 0 ? trainingSlots(settings, machine) : 1);
}

function usualMb({ memoryBytes }: Machine): number {
  return Math.max(minMb, Math.floor((usualShare * memoryBytes) / 2 ** 20));
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
