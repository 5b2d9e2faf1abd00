import type { ColumnFacts } from '../data/column.ts';
import type { ContentScores, Evaluation } from '../data/trainedModel.ts';
import type { OperatorSetting } from '../data/trainingData.ts';
import type { RelatedFormula } from '../neighbours/relatedFormula.ts';

/**
 * Name and newest version of the model file format. Every older version stays readable (fixtures/). Version 2 adds the lists
 * of users; for a version 1 file, queries compute these lists. Version 3 adds transitions and settings for the influence of
 * time, which older versions do not have. Version 4 adds the weights of histories and the dislikes of users. Version 5 adds the
 * formula of related items, without which reasons would be wrong; a version 5 file contains weights and dislikes only if the
 * model has them. Version 6 has 200 instead of 100 items in the lists of users.
 */
export const modelFormat = 'recommender-model';
export const modelVersion = 6;

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
  /** Formula of related items; omitted before version 5. */
  related?: RelatedFormula;
  /** As in TrainedModel; omitted without interactions, and in older files, to which no items can be added. */
  cosineScores?: readonly number[];
  /** As in TrainedModel. */
  contentScores?: ContentScores;
}
