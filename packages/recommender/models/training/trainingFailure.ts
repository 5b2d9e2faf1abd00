import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import { recommenderErrors } from '../../errors/recommenderErrors.ts';

/**
 * Messages of a thread whose heap or the machine's memory is full; a full heap of the main thread ends the process
 * differently.
 */
const outOfMemory = /ERR_WORKER_OUT_OF_MEMORY|Array buffer allocation failed|the kernels' memory cannot grow/;
/** Message of a thread that exceeds the kernels' 4 GB, which is independent of the machine's memory. */
const beyondKernels = /the 4 GB of the kernels' memory are exceeded/;

/**
 * Converts the failure of a training process to the job's error: a Problem if another attempt would fail in the same way,
 * otherwise the error itself (e.g. the process was killed from outside or the machine went down).
 */
export function trainingFailure(error: unknown, memoryMb: number): unknown {
  if (!(error instanceof ChildFailed)) return error;
  if (/ENOSPC|EDQUOT|No space left on device/.test(error.stderrTail)) {
    return platformErrors.problem(
      'storage-full',
      'The disk became full during the training, and no version was stored. Free space in the data folder, then start the training again.',
      { cause: error },
    );
  }
  if (beyondKernels.test(error.stderrTail)) {
    return recommenderErrors.problem(
      'training-failed',
      'The factors and lists of so many items need more than the 4 GB that the threads of a training share, whatever VOUCH_TRAIN_MEMORY is. ' +
        'Train on fewer items: fewer batches (data_tags) or newer interactions (maximum_interaction_age_days).',
      { cause: error },
    );
  }
  const full = error.end.kind === 'memory' || (error.end.kind === 'exited' && outOfMemory.test(error.stderrTail));
  switch (full ? 'memory' : error.end.kind) {
    case 'memory':
      return recommenderErrors.problem(
        'training-failed',
        `The training needs more than its ${memoryMb} MB of memory. Raise VOUCH_TRAIN_MEMORY, or train on fewer batches (data_tags) or newer interactions (maximum_interaction_age_days).`,
        { cause: error },
      );
    case 'exited':
      return recommenderErrors.problem(
        'training-failed',
        `The training process ended with an error: ${error.message}. Start the training again; if it fails again, report the error with the file that \`vouch support-bundle\` writes.`,
        { cause: error },
      );
    default:
      return error;
  }
}
