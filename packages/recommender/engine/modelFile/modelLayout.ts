import type { ColumnFacts } from '../data/column.ts';
import type { Evaluation } from '../data/trainedModel.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/**
 * Name and newest version of the model file format. Every older version stays readable (fixtures/). Version 2 adds the lists
 * of users; for a version 1 file, queries compute these lists. Version 3 adds transitions and settings for the influence of
 * time, which older versions do not have. Version 4 adds the weights of histories and the dislikes of users; a model without
 * either is written as version 3.
 */
export const modelFormat = 'recommender-model';
export const modelVersion = 4;
export const unweightedVersion = 3;

/** The facts in the header of a model file. */
export interface ModelFacts {
  setting: OperatorSetting;
  seed: number;
  types: string[];
  /** Types of interaction targets, -1 for untyped nodes. */
  targetTypes: number[];
  nodes: number;
  items: number;
  users: number;
  rank: number;
  largestEigenvalue: number;
  historyCap: number;
  /** Newest timestamp of the data in ms, null if there is none. */
  newest: number | null;
  evaluation: Evaluation | null;
  /** Typed metadata columns; omitted in files that were written before there were columns. */
  columns?: ColumnFacts;
}
