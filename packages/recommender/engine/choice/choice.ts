import type { OperatorSetting } from '../data/trainingData.ts';

/** A setting that was tried, with mean metrics over the users compared. */
export interface Candidate {
  setting: OperatorSetting;
  'recall@20': number;
  'ndcg@20': number;
  users: number;
}

/**
 * Progress of a grid search. Work is counted, not timed, so a search of the same data ends at the same setting on any
 * machine.
 */
export interface Search {
  /** Number of settings in the grid, and number of settings tried, in grid order. */
  settings: number;
  tried: number;
  ended: 'all were tried' | 'its share was used up';
  /** Work of the search and the maximum work, both relative to the work of the training's factors and lists. */
  used: number;
  allowed: number;
}

/** Result of an automatic choice: the settings tried on held-out interactions and the chosen setting. */
export interface SettingChoice {
  candidates: readonly Candidate[];
  chosen: OperatorSetting;
  /** Number of users whose held-out interactions decided. */
  users: number;
  /** Present if exponents were searched. */
  search?: Search;
}

/** Chosen part of a setting: exponents and time, or only time with the default exponents. */
export type ChosenPart = 'exponents' | 'time';
