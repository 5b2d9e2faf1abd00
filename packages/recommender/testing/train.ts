import { evaluate } from '../engine/evaluation/evaluate.ts';
import { computeFactors } from '../engine/factors/computeFactors.ts';
import { computeNeighbours } from '../engine/neighbours/computeNeighbours.ts';
import type { TrainedModel } from '../engine/data/trainedModel.ts';
import type { TrainingData, TrainingOptions } from '../engine/data/trainingData.ts';

/** Receives the completed fraction, 0 to 1, of the named stage. */
type Progress = (stage: 'factors' | 'neighbours' | 'evaluate', fraction: number) => void;

/**
 * Trains a model in memory: factors, neighbour lists, evaluation; for tests and benchmarks. The training process of the
 * service runs the same functions stage by stage and writes a file after each stage (`models/training/train.child.ts`).
 * @param progress called for each 0.5 % of a stage
 * @param signal checked whenever progress is called; an abort throws the signal's reason
 */
export function train(
  data: TrainingData,
  options: TrainingOptions,
  progress: Progress,
  signal?: AbortSignal,
): TrainedModel {
  const reportTo = (stage: 'factors' | 'neighbours' | 'evaluate') => (fraction: number) => {
    signal?.throwIfAborted();
    progress(stage, fraction);
  };
  const factors = computeFactors(data, options, reportTo('factors'));
  const model = computeNeighbours(data, factors, options, reportTo('neighbours'));
  return { ...model, evaluation: evaluate(data, options, reportTo('evaluate')) };
}
