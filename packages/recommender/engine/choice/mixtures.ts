import { mixSummands } from './mixSummands.ts';
import { gainOf, type Results } from './results.ts';
import type { AlsOptions } from '../ridge/alsMatrix.ts';
import type { Trial } from './trial.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Users whose values compare a ridge or alternating least squares with the operator. */
export const scaleUsers = 200;

/**
 * Share by which a mixture with the second variant of alternating least squares must list better on the deciding users. With a confidence of 5 instead of 40 and two or three draws of held-out items, lists
 * of deciding users are 2 to 9 % better on parts that gain by it, and in eleven of twelve cases at most 1.7 % better on parts that do not (bench/results/recommend-peers.md).
 */
const requiredShare = 0.02;

/** Measures settings on the users who compare mixtures. */
export type Measure = (settings: readonly OperatorSetting[]) => void;

/** What mixtures need of a search. */
interface MixtureGrounds {
  trial: Pick<Trial, 'summandsOf' | 'measureMixture' | 'servedWork' | 'measureServed'>;
  results: Results;
  /** Users on whom mixtures are compared. */
  users: Int32Array;
  /** One object for equal settings. */
  same: (setting: OperatorSetting) => OperatorSetting;
  /** Notes a setting that the search wants to try. */
  plan: (setting: OperatorSetting) => void;
}

/** Compares mixtures of a setting's operator with a ridge and alternating least squares, all on the same users. */
export class Mixtures {
  private readonly grounds: MixtureGrounds;

  constructor(grounds: MixtureGrounds) {
    this.grounds = grounds;
  }

  /**
   * The best mixture of a setting with all pairs; the setting if none is better.
   * @param lambda penalty of the ridge
   * @param als variants of alternating least squares, one or two; with two, each has its mixture, and that of the second must be ahead by `requiredShare`
   * @param usualOf the setting to begin at, given the weight at which a ridge has the values of the operator
   */
  of(chosen: OperatorSetting, lambda: number, als: readonly AlsOptions[], usualOf: (scale: number, measure: Measure) => OperatorSetting = () => chosen): OperatorSetting {
    const { trial, results, users, same, plan } = this.grounds;
    const { ridge: _, lambda: __, ...plain } = chosen;
    const summands = trial.summandsOf(plain, lambda, users, scaleUsers, als);
    const measure: Measure = (settings) => {
      for (const setting of settings) {
        plan(setting);
        if (results.usersOf(setting) < users.length) results.add(setting, trial.measureMixture(setting, summands));
      }
    };
    const { scale } = summands;
    const usual = usualOf(scale.ridge, measure);
    const mixed = als.map(({ confidence }, at) => mixSummands({ results, scale: { ridge: scale.ridge, als: scale.als[at] ?? 0 }, confidence, same, measure }, usual, lambda));
    const [first = usual, ...others] = mixed;
    return others.find((other) => results.isAhead(other, first, requiredShare)) ?? first;
  }

  /** Work of `betterAsServed`. */
  servedWork(settings: readonly OperatorSetting[]): number {
    const { trial, users } = this.grounds;
    return settings.reduce((sum, setting) => sum + trial.servedWork(setting, users), 0);
  }

  /** The setting if it lists better than `usual`, with rows as a model keeps them. */
  betterAsServed(setting: OperatorSetting, usual: OperatorSetting): OperatorSetting {
    const { trial, users } = this.grounds;
    if (setting.ridge === undefined && setting.als === undefined) return usual;
    const { mean } = gainOf(trial.measureServed(setting, users), trial.measureServed(usual, users));
    return mean > 0 ? setting : usual;
  }
}
