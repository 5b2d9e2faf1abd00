import { joined } from './results.ts';
import type { AlsOptions } from '../ridge/alsMatrix.ts';
import type { OperatorSetting } from '../data/trainingData.ts';
import type { SummandLists } from './summandLists.ts';
import type { Trial } from './trial.ts';

/** What the choice asks of a trial. */
type Measuring = Pick<
  Trial,
  | 'factorWork' | 'scoreWork' | 'measure' | 'measureHorizons' | 'productsFor' | 'furtherFactors' | 'furtherRidge' | 'furtherAls' | 'summandsOf'
  | 'measureMixture' | 'measureServed' | 'servedWork' | 'ridgeScale' | 'contentScale'
>;

/** The numbers of the users' histories in all draws, draw by draw, see `RepeatedTrial`. */
export function ofDraws(deciding: Int32Array, users: number, draws: number): Int32Array {
  return Int32Array.from({ length: draws * deciding.length }, (_, at) => Math.floor(at / deciding.length) * users + (deciding[at % deciding.length] as number));
}

/** Draw and user of a history. */
export function drawOf(history: number, users: number): { draw: number; user: number } {
  return { draw: Math.floor(history / users), user: history % users };
}

/** The users of a draw, and the place of the first of them among all histories. */
interface Part {
  trial: Trial;
  users: Int32Array;
  start: number;
}

/**
 * Compares settings on several draws of held-out items (repeated holdout). A history of one draw counts as a user: the history of user u in draw d has the number
 * `d * users + u`, and histories are passed draw by draw. Matrices and factors belong to a draw each; weights follow from the first draw.
 */
export class RepeatedTrial implements Measuring {
  private readonly draws: readonly Trial[];
  private readonly users: number;

  /**
   * @param draws a trial for each draw, at least one
   * @param users number of users of each trial
   */
  constructor(draws: readonly Trial[], users: number) {
    this.draws = draws;
    this.users = users;
  }

  get factorWork(): number {
    return this.sum((trial) => trial.factorWork);
  }

  get scoreWork(): number {
    return this.sum((trial) => trial.scoreWork);
  }

  measure(settings: readonly OperatorSetting[], histories: Int32Array): Float64Array[] {
    const parts = this.parts(histories).map(({ trial, users }) => trial.measure(settings, users));
    return settings.map((_, at) => joined(parts.map((part) => part[at] as Float64Array)));
  }

  measureHorizons(settings: readonly OperatorSetting[], histories: Int32Array, ends: readonly Int32Array[]): Float64Array[][] {
    const parts = this.parts(histories).map(({ trial, users, start }) => trial.measureHorizons(settings, users, ends.map((end) => end.subarray(start, start + users.length))));
    return settings.map((_, at) => Array.from({ length: Math.max(1, ends.length) }, (__, horizon) => joined(parts.map((part) => part[at]?.[horizon] as Float64Array))));
  }

  productsFor(pu: number): number {
    return this.first.productsFor(pu);
  }

  furtherFactors(pu: number): number {
    return this.sum((trial) => trial.furtherFactors(pu));
  }

  furtherRidge(lambda: number): number {
    return this.sum((trial) => trial.furtherRidge(lambda));
  }

  furtherAls(pu: number, options: AlsOptions): number {
    return this.sum((trial) => trial.furtherAls(pu, options));
  }

  summandsOf(plain: OperatorSetting, lambda: number, histories: Int32Array, scaleUsers: number, als: readonly AlsOptions[]): SummandLists {
    const [{ users }, ...others] = this.parts(histories) as [Part, ...Part[]];
    const lists = this.first.summandsOf(plain, lambda, users, scaleUsers, als, histories.length);
    for (const { trial, users: further } of others) trial.addSummands(lists, plain, lambda, further, 0, als);
    return lists;
  }

  measureMixture(setting: OperatorSetting, lists: SummandLists): Float64Array {
    return this.first.measureMixture(setting, lists);
  }

  measureServed(setting: OperatorSetting, histories: Int32Array): Float64Array {
    return joined(this.parts(histories).map(({ trial, users }) => trial.measureServed(setting, users)));
  }

  servedWork(setting: OperatorSetting, histories: Int32Array): number {
    return this.parts(histories).reduce((sum, { trial, users }) => sum + trial.servedWork(setting, users), 0);
  }

  ridgeScale(setting: OperatorSetting, lambda: number, histories: Int32Array): number {
    return this.first.ridgeScale(setting, lambda, this.ofFirst(histories));
  }

  contentScale(setting: OperatorSetting, histories: Int32Array): number {
    return this.first.contentScale(setting, this.ofFirst(histories));
  }

  private get first(): Trial {
    return this.draws[0] as Trial;
  }

  private sum(workOf: (trial: Trial) => number): number {
    return this.draws.reduce((sum, trial) => sum + workOf(trial), 0);
  }

  private ofFirst(histories: Int32Array): Int32Array {
    return histories.filter((history) => history < this.users);
  }

  /** The parts of all draws that have any histories. */
  private parts(histories: Int32Array): Part[] {
    let start = 0;
    const parts = this.draws.map((trial, draw) => {
      const users = histories.filter((history) => drawOf(history, this.users).draw === draw).map((history) => drawOf(history, this.users).user);
      start += users.length;
      return { trial, users, start: start - users.length };
    });
    return parts.filter(({ users }) => users.length > 0);
  }
}
