import type { Candidate } from './choice.ts';
import type { Trial } from './trial.ts';
import type { OperatorSetting } from '../trainingData.ts';

/** What differs from the first has to be better by this many standard errors of the mean difference. */
const requiredErrors = 1;

/** Recall@20 and ndcg@20 of each deciding user, one after the other, for each setting that was tried. */
export class Results {
  private readonly trial: Trial;
  private readonly users: Int32Array;
  private readonly report: (fraction: number) => void;
  private readonly tried = new Map<OperatorSetting, Float64Array>();
  private expected = 1;
  private done = 0;
  /** Lists that were made so far: users times settings. */
  scored = 0;

  constructor(trial: Trial, users: Int32Array, report: (fraction: number) => void) {
    this.trial = trial;
    this.users = users;
    this.report = report;
  }

  /** How many measurements of a setting there will be, for the progress. */
  expect(measurements: number): void {
    this.expected = measurements;
  }

  /** Tries settings on the first `count` users, those with common factors together; what is known is not asked again. */
  measure(settings: readonly OperatorSetting[], count: number): void {
    const parts = new Map<string, OperatorSetting[]>();
    for (const setting of settings) {
      const part = `${setting.pu} ${setting.recency ?? false}`;
      parts.set(part, [...(parts.get(part) ?? []), setting]);
    }
    for (const part of parts.values()) {
      const known = Math.min(...part.map((setting) => this.of(setting).length / 2));
      const further = this.trial.measure(part, this.users.subarray(known, count));
      this.scored += part.length * Math.max(0, count - known);
      part.forEach((setting, at) => {
        const before = this.of(setting).subarray(0, 2 * known);
        this.tried.set(setting, Float64Array.of(...before, ...(further[at] as Float64Array)));
        this.report(Math.min(1, ++this.done / this.expected));
      });
    }
  }

  /** Settings by falling recall + ndcg. */
  ordered(settings: readonly OperatorSetting[]): OperatorSetting[] {
    return settings.toSorted((a, b) => total(this.of(b)) - total(this.of(a)));
  }

  /** The best of settings that were measured on the same users; the first stands unless another is better beyond chance. */
  best(settings: readonly OperatorSetting[]): OperatorSetting {
    const [first] = settings;
    if (first === undefined) throw new Error('there is no setting to choose from');
    const beyondChance = (setting: OperatorSetting): boolean => isBeyondChance(this.of(setting), this.of(first));
    return this.ordered(settings).find((setting) => setting === first || beyondChance(setting)) ?? first;
  }

  /** All that was tried, in the order of trying. */
  candidates(): Candidate[] {
    return [...this.tried].map(([setting, results]) => ({
      setting, 'recall@20': meanOf(results, 0), 'ndcg@20': meanOf(results, 1), users: results.length / 2,
    }));
  }

  private of(setting: OperatorSetting): Float64Array {
    return this.tried.get(setting) ?? new Float64Array(0);
  }
}

const total = (results: Float64Array): number => meanOf(results, 0) + meanOf(results, 1);

function meanOf(results: Float64Array, offset: 0 | 1): number {
  let sum = 0;
  for (let at = offset; at < results.length; at += 2) sum += results[at] as number;
  return results.length === 0 ? 0 : (2 * sum) / results.length;
}

function isBeyondChance(results: Float64Array, base: Float64Array): boolean {
  const users = base.length / 2;
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < base.length; at += 2) {
    const gain = (results[at] as number) + (results[at + 1] as number) - (base[at] as number) - (base[at + 1] as number);
    sum += gain;
    squares += gain * gain;
  }
  const mean = sum / users;
  const error = Math.sqrt(Math.max(0, squares / users - mean * mean) / users);
  return mean > requiredErrors * error;
}
