import type { OperatorSetting } from '../data/trainingData.ts';

/** What a list of a trial depends on, beside the user and the factors. */
export type ScoredSetting = Required<Pick<OperatorSetting, 'pa' | 'pb' | 'T' | 'b' | 'allPairs' | 'ridge' | 'als' | 'content' | 'transitions'>>;

/** The setting with all its fields: settings have a dozen shapes, and each new one makes the engine compile the code that scores again. */
export function scoredSetting({ pa, pb, T, b, allPairs = false, ridge = 0, als = 0, content = 0, transitions = 0 }: OperatorSetting): ScoredSetting {
  return { pa, pb, T, b, allPairs, ridge, als, content, transitions };
}
