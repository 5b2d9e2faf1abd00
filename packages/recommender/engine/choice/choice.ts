import type { OperatorSetting } from '../data/trainingData.ts';

/** A setting that was tried, with mean metrics over the users compared. */
export interface Candidate {
  setting: OperatorSetting;
  'recall@20': number;
  'ndcg@20': number;
  users: number;
}

/**
 * Progress of a search. Work is counted, not timed, so a search of the same data ends at the same setting on any
 * machine.
 */
export interface Search {
  /** Number of settings that the search wanted to try, and number of settings tried. */
  settings: number;
  tried: number;
  ended: 'all were tried' | 'its share was used up';
  /** Work of the search and the maximum work, both relative to the work of the training's factors and lists. */
  used: number;
  allowed: number;
  /** Share of the deciding users' held-out items that have a user in common with the history; missing in older records. */
  reach?: number;
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
