import type { Candidate } from './choice.ts';
import type { Trial } from './trial.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** A setting must exceed the first setting by more than this many standard errors of the mean difference to replace it. */
export const requiredErrors = 1;
/** A setting that is worse than the best by more than this many standard errors is not measured further. */
export const clearErrors = 2;

/** Recall@20 and ndcg@20 of each deciding user, alternating, for each setting that was tried. */
export class Results {
  private readonly trial: Pick<Trial, 'measure'>;
  private readonly users: Int32Array;
  private readonly report: (fraction: number) => void;
  private readonly tried = new Map<OperatorSetting, Float64Array>();
  private expected = 1;
  private done = 0;
  /** Number of lists computed so far: users times settings. */
  scored = 0;

  constructor(trial: Pick<Trial, 'measure'>, users: Int32Array, report: (fraction: number) => void) {
    this.trial = trial;
    this.users = users;
    this.report = report;
  }

  /** Sets the expected number of measurements of single settings, for the progress. */
  expect(measurements: number): void {
    this.expected = measurements;
  }

  /**
   * Measures settings on the first `count` users, with settings of common factors and regression together. Known results are not measured
   * again.
   */
  measure(settings: readonly OperatorSetting[], count: number): void {
    const parts = new Map<string, OperatorSetting[]>();
    for (const setting of settings) {
      const part = `${setting.pu} ${setting.recency ?? false} ${setting.lambda ?? ''}`;
      parts.set(part, [...(parts.get(part) ?? []), setting]);
    }
    for (const part of parts.values()) {
      const known = Math.min(...part.map((setting) => this.of(setting).length / 2));
      const further = this.trial.measure(part, this.users.subarray(known, count));
      this.scored += part.length * Math.max(0, count - known);
      part.forEach((setting, at) => {
        const before = this.of(setting).subarray(0, 2 * known);
        this.add(setting, Float64Array.from([...before, ...(further[at] as Float64Array)]));
      });
    }
  }

  /** Adds the results of a setting on the first users. */
  add(setting: OperatorSetting, results: Float64Array): void {
    this.tried.set(setting, results);
    this.report(Math.min(1, ++this.done / this.expected));
  }

  /** Number of users on whom a setting was measured. */
  usersOf(setting: OperatorSetting): number {
    return this.of(setting).length / 2;
  }

  /** The settings in descending order of their means over the users on whom all of them were measured. */
  ordered(settings: readonly OperatorSetting[]): OperatorSetting[] {
    const common = 2 * settings.reduce((least, setting) => Math.min(least, this.usersOf(setting)), Number.POSITIVE_INFINITY);
    const sums = new Map(settings.map((setting) => [setting, this.of(setting).subarray(0, common).reduce((sum, value) => sum + value, 0)]));
    return [...sums.keys()].sort((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0));
  }

  /**
   * Returns at most `most` settings that are not clearly worse than the best setting, best first.
   * @param errors number of standard errors of the mean difference by which a setting is clearly worse
   */
  contenders(settings: readonly OperatorSetting[], most: number, errors = clearErrors): OperatorSetting[] {
    const best = this.leader(settings);
    if (best === undefined) return [];
    const gains = new Map(settings.map((setting) => [setting, this.gain(setting, best)]));
    const meanOfGain = (setting: OperatorSetting): number => gains.get(setting)?.mean ?? 0;
    return [...gains.keys()]
      .filter((setting) => meanOfGain(setting) >= -errors * (gains.get(setting)?.error ?? 0))
      .sort((a, b) => meanOfGain(b) - meanOfGain(a))
      .slice(0, most);
  }

  /**
   * Returns the best setting that exceeds `first` by more than chance; `first` if there is none.
   * @param errors number of standard errors of the mean difference that count as chance
   */
  best(settings: readonly OperatorSetting[], first: OperatorSetting, errors = requiredErrors): OperatorSetting {
    const better = settings.filter((setting) => {
      const { mean, error } = this.gain(setting, first);
      return mean > errors * error;
    });
    return this.leader(better) ?? first;
  }

  /** Whether the recall + ndcg of a setting exceeds that of another setting by more than a share of it, over the users on whom both were measured. */
  isAhead(setting: OperatorSetting, other: OperatorSetting, share: number): boolean {
    const common = 2 * Math.min(this.usersOf(setting), this.usersOf(other));
    const [own = 0, base = 0] = [setting, other].map((each) => this.of(each).subarray(0, common).reduce((sum, value) => sum + value, 0));
    return own > (1 + share) * base;
  }

  private leader(settings: readonly OperatorSetting[]): OperatorSetting | undefined {
    const [first, ...others] = settings;
    if (first === undefined) return undefined;
    return others.reduce((best, setting) => (this.gain(setting, best).mean > 0 ? setting : best), first);
  }

  /** All settings that were tried, in the order of the first measurement. */
  candidates(): Candidate[] {
    return [...this.tried].map(([setting, results]) => ({
      setting, 'recall@20': meanOf(results, 0), 'ndcg@20': meanOf(results, 1), users: results.length / 2,
    }));
  }

  private gain(setting: OperatorSetting, other: OperatorSetting): { mean: number; error: number } {
    return gainOf(this.of(setting), this.of(other));
  }

  private of(setting: OperatorSetting): Float64Array {
    return this.tried.get(setting) ?? new Float64Array(0);
  }
}

/**
 * Mean and standard error of the difference in recall + ndcg, over the users measured with both.
 * @param own recall and ndcg of each user, alternating
 */
export function gainOf(own: Float64Array, base: Float64Array): { mean: number; error: number } {
  const common = Math.min(own.length, base.length);
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < common; at += 2) {
    const gain = (own[at] as number) - (base[at] as number) + ((own[at + 1] as number) - (base[at + 1] as number));
    sum += gain;
    squares += gain * gain;
  }
  const users = Math.max(1, common / 2);
  const mean = sum / users;
  return { mean, error: Math.sqrt(Math.max(0, squares / users - mean * mean) / users) };
}

/** Results of several parts of the users, one after another. */
export function joined(parts: readonly Float64Array[]): Float64Array {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function meanOf(results: Float64Array, offset: 0 | 1): number {
  let sum = 0;
  for (let at = offset; at < results.length; at += 2) sum += results[at] as number;
  return results.length === 0 ? 0 : (2 * sum) / results.length;
}
