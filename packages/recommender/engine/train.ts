import { evaluate } from './evaluation/evaluate.ts';
import { computeFactors } from './factors/computeFactors.ts';
import { computeNeighbours } from './neighbours/computeNeighbours.ts';
import type { TrainedModel } from './data/trainedModel.ts';
import type { TrainingData, TrainingOptions, TrainingProgress } from './data/trainingData.ts';

/**
 * Trains a model: factors, neighbour lists, evaluation. The same data and options give the same bytes. A job that
 * keeps its stages calls `computeFactors`, `computeNeighbours` and `evaluate` itself.
 * @param progress called for each half per cent of a stage
 * @param signal looked at whenever progress is called; aborting throws its reason
 */
export function train(
  data: TrainingData,
  options: TrainingOptions,
  progress: TrainingProgress,
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
