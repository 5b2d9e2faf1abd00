import { compileOnce } from '@vouch/platform/config/compileOnce';
import { Type, type Static } from 'typebox';
import type { SnapshotResultFiles } from '../arrays/loadTrainingData.ts';
import type { SnapshotFile } from '../arrays/trainingSnapshot.ts';
import { DataSummarySchema, EvaluationSchema, SettingChoiceSchema, type StoredChoice, type StoredParameters } from './training.schema.ts';
import { processStages, type FinishedFiles } from './trainingStages.ts';

/** First message to a training process: its input and parameters. */
export interface TrainingTask {
  /** The batches; empty if Spark has prepared them. */
  files: readonly SnapshotFile[];
  /** Number of batches in the snapshot. */
  batches: number;
  /** Older interactions are ignored; null keeps all. */
  cutoffMs: number | null;
  /** Later times are mistakes; null accepts all. */
  latestMs: number | null;
  setting: StoredParameters['setting'];
  /** Weights of interaction types that the request sets. */
  weights: NonNullable<StoredParameters['weights']>;
  /** Expression that leaves data out; null for none. */
  filter: string | null;
  /** Half-lives in days that the request sets; null for none. */
  recencyHalfLifeDays: number | null;
  trendingHalfLifeDays: number | null;
  /** The choice that an earlier attempt made together with its factors; null if there is none. */
  choice: StoredChoice | null;
  seed: number;
  /** Folder for the files of the training process. */
  folder: string;
  /** Memory for DuckDB, in DuckDB's notation. */
  duckDbMemory: string;
  /** Null if Spark is not used. */
  spark: SparkTask | null;
  /** Local files of stages that an earlier attempt finished. */
  finished: FinishedFiles;
}

/** Results of Spark so far: local paths of Parquet files, in the order of their rows. */
export interface SparkTask {
  /** Null if the arrays are finished. */
  prepared: SnapshotResultFiles | null;
  /** Null until Spark has computed the candidates; the process then ends after the factors. */
  candidates: readonly string[] | null;
}

const Stage = Type.Enum([...processStages]);

/** The file of a finished stage, with the hash and size that its writer measured. */
const StageFile = Type.Object({
  path: Type.String(),
  name: Type.String({ pattern: '^sha256-[0-9a-f]{64}$' }),
  bytes: Type.Integer({ minimum: 0 }),
});
export type StageFile = Static<typeof StageFile>;

/** Messages of a training process. */
export const TrainingMessage = Type.Union([
  Type.Object({ kind: Type.Literal('progress'), stage: Stage, fraction: Type.Number() }),
  // The filter cannot be used with the data; no stage follows.
  Type.Object({ kind: Type.Literal('refused'), code: Type.Union([Type.Literal('invalid-expression'), Type.Literal('expression-too-expensive')]), detail: Type.String() }),
  Type.Object({ kind: Type.Literal('arrays'), file: StageFile, summary: DataSummarySchema, neededBytes: Type.Number() }),
  Type.Object({ kind: Type.Literal('factors'), file: StageFile, choice: Type.Union([SettingChoiceSchema, Type.Null()]) }),
  Type.Object({ kind: Type.Literal('neighbours'), file: StageFile }),
  Type.Object({ kind: Type.Literal('evaluate'), evaluation: Type.Union([EvaluationSchema, Type.Null()]) }),
]);
export type TrainingMessage = Static<typeof TrainingMessage>;

const validatorOf = compileOnce(TrainingMessage);

/** @throws TypeError for any other message */
export function parseTrainingMessage(message: unknown): TrainingMessage {
  if (!validatorOf().Check(message)) throw new TypeError('the training process sent an unknown message');
  return message;
}
