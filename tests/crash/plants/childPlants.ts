import type { PlantedCrash } from './plantedCrash.ts';

/** Faults that show only if a child process dies. */
export const childPlants: readonly PlantedCrash[] = [
  { name: 'a training whose process is killed ends with an error', operation: 'children-training', near: /^1 before receipt in train/, file: 'packages/recommender/models/training/trainingFailure.ts',
    replace: '    default:\n      return error;', by: "    default:\n      return recommenderErrors.problem('training-failed', 'The training process ended.', { cause: error });" },
  { name: 'a killed decoder is taken for one that crashed on its file', operation: 'children-video', near: /^1 before receipt in nodeAv encode-sound/, file: 'packages/video/engine/media/mediaFault.ts',
    replace: 'isInterruption(error) ? error : crashProblem(name, error)', by: 'crashProblem(name, error)' },
  { name: 'a decoder that is killed at its start is taken for a missing one', operation: 'children-video', near: /^1 before receipt in nodeAv version/, file: 'packages/video/engine/media/nodeAv/nodeAvBackend.ts',
    replace: 'if (isInterruption(interruption)) throw interruption;', by: '' },
  { name: 'an upload whose reader is killed is refused without a reason', operation: 'children-reading', near: /^1 before receipt in convertFile/, file: 'packages/recommender/batches/conversions.ts',
    replace: 'throw error instanceof ChildFailed ? childFailed(error, fileName) : error;', by: 'throw error;' },
];
