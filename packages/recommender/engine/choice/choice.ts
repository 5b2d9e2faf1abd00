import type { OperatorSetting } from '../data/trainingData.ts';

/** A setting that was tried, with the means over the users that its lists were compared for. */
export interface Candidate {
  setting: OperatorSetting;
  'recall@20': number;
  'ndcg@20': number;
  users: number;
}

/** How far a search of the grid came. Work is counted, so the same data ends in the same place on any machine. */
export interface Search {
  /** Settings of the grid, and how many were tried, in its order. */
  settings: number;
  tried: number;
  ended: 'all were tried' | 'its share was used up';
  /** Work of the search as a share of that of the training's factors and lists, and how much it may be. */
  used: number;
  allowed: number;
}

/** An automatic choice: what was tried on held-out interactions, and what was taken. */
export interface SettingChoice {
  candidates: readonly Candidate[];
  chosen: OperatorSetting;
  /** Users whose held-out interactions decided. */
  users: number;
  /** Where exponents were searched for. */
  search?: Search;
}

/** Which part of a setting is chosen: exponents and time, or time alone beside the default exponents. */
export type ChosenPart = 'exponents' | 'time';
