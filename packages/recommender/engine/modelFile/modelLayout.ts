import type { Evaluation } from '../data/trainedModel.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/**
 * Name and newest version of the model file format; every older version stays readable (fixtures/). Version 2 has the lists of
 * users; with version 1 they are made when they are asked for. Version 3 has transitions, and settings that say how time counts;
 * older versions do without.
 */
export const modelFormat = 'recommender-model';
export const modelVersion = 3;

/** The facts in the header of a model file. */
export interface ModelFacts {
  setting: OperatorSetting;
  seed: number;
  types: string[];
  /** Types that occur as interaction targets, -1 for untyped nodes. */
  targetTypes: number[];
  nodes: number;
  items: number;
  users: number;
  rank: number;
  largestEigenvalue: number;
  historyCap: number;
  /** Newest timestamp of the data in ms, null without. */
  newest: number | null;
  evaluation: Evaluation | null;
}
