import type { OperatorSetting } from '../trainingData.ts';

/** A setting that was tried, with the means over the users that its lists were compared for. */
export interface Candidate {
  setting: OperatorSetting;
  'recall@20': number;
  'ndcg@20': number;
  users: number;
}

/** An automatic choice: what was tried on held-out interactions, and what was taken. */
export interface SettingChoice {
  candidates: readonly Candidate[];
  chosen: OperatorSetting;
  /** Users whose held-out interactions decided. */
  users: number;
}

/** Which part of a setting is chosen: exponents and time, or time alone beside the default exponents. */
export type ChosenPart = 'exponents' | 'time';
