/**
 * All stages of a training in order, with each stage's share of the duration, without and with Spark. A stage with a null
 * share is skipped. `process` marks stages of the training process; `file` marks the stages whose file lets another attempt
 * continue.
 */
const trainingStages = [
  { name: 'snapshot', share: 0.01, shareWithSpark: 0.01, process: false, file: false },
  { name: 'spark-snapshot', share: null, shareWithSpark: 0.15, process: false, file: false },
  { name: 'arrays', share: 0.12, shareWithSpark: 0.07, process: true, file: true },
  { name: 'factors', share: 0.25, shareWithSpark: 0.2, process: true, file: true },
  { name: 'spark-candidates', share: null, shareWithSpark: 0.2, process: false, file: false },
  { name: 'neighbours', share: 0.25, shareWithSpark: 0.15, process: true, file: true },
  { name: 'evaluate', share: 0.35, shareWithSpark: 0.2, process: true, file: false },
  { name: 'write', share: 0.02, shareWithSpark: 0.02, process: false, file: false },
] as const;

type Stage = (typeof trainingStages)[number];

/** A stage that the training process runs. */
export type TrainingStage = Extract<Stage, { process: true }>['name'];

/** A stage that writes a file. */
type FileStage = Extract<Stage, { file: true }>['name'];

/** Files of the finished stages: blob names in a job, local paths in a training process. */
export type FinishedFiles = Partial<Record<FileStage, string>>;

export const processStages: readonly TrainingStage[] = trainingStages.filter((stage) => stage.process).map(({ name }) => name);

export const fileStages: readonly FileStage[] = trainingStages.filter((stage) => stage.file).map(({ name }) => name);

/** The stages of a training job with their shares. */
export function jobStages(withSpark: boolean): { name: string; share: number }[] {
  return trainingStages.flatMap(({ name, share, shareWithSpark }) => {
    const own = withSpark ? shareWithSpark : share;
    return own === null ? [] : [{ name, share: own }];
  });
}
