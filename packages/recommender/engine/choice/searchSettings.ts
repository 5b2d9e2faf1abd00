import { coarseGrid, neighboursOf, otherUserExponents, ridgesOf, starts } from './settingGrid.ts';
import { isSmall } from './allowedWork.ts';
import { drawnEntries } from './holdOut.ts';
import { alsVariants } from './alsVariants.ts';
import { Mixtures, scaleUsers } from './mixtures.ts';
import type { Search } from './choice.ts';
import { requiredErrors, type Results } from './results.ts';
import type { Trial } from './trial.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

/** Maximum number of settings with one pu that are compared on all deciding users. */
const finalists = 4;
/**
 * Shares of the first users on whom a grid is tried; after each share, the better third goes on. A quarter makes the most of the little work that small
 * trainings allow. Larger ones gain nothing from the quarter: on two of four samples of Gowalla, it loses 1.6 % of recall + ndcg.
 */
const shares = { small: [0.25, 0.5, 1], large: [0.5, 1] } as const;
/**
 * Lists are costly if the grid of the dense start, and the comparison of its best settings, take this many times the allowed work: 1.4 times on Debian
 * dependencies, where a search that ended there lost 3 % of ndcg; 1.1 to 1.2 times on generated data with 20 and 60 interactions a user, which lost nothing.
 */
const costlyFrom = 4 / 3;
/** Share of the first users on whom a start can turn out to be clearly worse, by this many standard errors. */
const startShare = 0.25;
const clearErrors = 4;
/** Maximum number of steps from a setting to a better neighbour. */
const steps = 2;
/**
 * Penalty of a ridge, and the shares of a list's values of the weights tried. A second penalty takes the work that the weights and the steps to
 * neighbours need: with 100 and 30, generated data with 60 interactions a user loses about 1 % of recall + ndcg (bench/results/recommend-peers.md).
 */
const lambdas = { dense: 60, sparse: 100 } as const;
const ridgeShares = [0.4, 0.65, 0.85];
/** Share of a ridge beside the sparse start. */
const smallShare = 0.15;
/** Maximum number of users on whom mixtures are compared: with 3,000, a choice of 20 interactions a user takes a fifth longer, and lists gain nothing beyond chance. */
const mixedUsers = 1500;
/**
 * Standard errors by which a setting must exceed the sparse start: users of sparse data have one or two held-out items each, so the best of
 * some thirty settings exceeds the start by two standard errors by chance.
 */
const sparseErrors = 3;
type Regime = keyof typeof starts;

/** Input of a search. */
interface Grounds {
  /** Number of interactions of which nothing is held out. */
  entries: number;
  trial: Pick<Trial, 'factorWork' | 'scoreWork' | 'furtherFactors' | 'furtherRidge' | 'furtherAls' | 'ridgeScale' | 'summandsOf' | 'measureMixture' | 'servedWork' | 'measureServed'>;
  results: Results;
  /** All deciding users, the first users first. */
  deciding: Int32Array;
  /** Work of the training's factors and lists, and maximum work of the search. */
  training: number;
  allowed: number;
  /** Maximum work of a search that would otherwise end within the grid of the dense start. */
  costly: number;
  /** Number of users on whom contenders are compared, and number of all deciding users. */
  firstUsers: number;
  users: number;
  /** Share of held-out items with a user in common with the history, see `reachOf`. */
  reach: number;
  /** Work of the regression, see `regressionWork`; 0 to try no ridge. */
  regressions: number;
  /** Work allowed for the mixture at the end, see `mixtureWork`; 0 to try none. */
  mixture: number;
  /** Whether cut rows of common users may list worse than a mixture's, see `isCutShort`. */
  isSmallCatalogue: boolean;
  /** At this reach and above, no settings with all pairs are tried: they only gain where items are out of reach. */
  denseReach: number;
}

/**
 * Searches for the best setting, from coarse to fine: the two starts, of which reach excludes the sparse one for dense data; the sparse start also with a small ridge beside the operator, and nothing else before a mixture or unless the work allows to compare further settings
 * on all users; the coarse grid of the better start, and of the other start unless it is clearly worse; the best setting with ridges; neighbours of the best setting, step by step; last, for dense data without a mixture, settings with another pu. Grids are tried on growing parts of the users, and only the best
 * settings on all users (successive halving, Jamieson and Talwalkar 2016). The search ends before the step whose work would exceed the allowed work. The starts are always tried, and only a setting that exceeds the better start by more than chance replaces it.
 */
export function searchSettings(grounds: Grounds): { chosen: OperatorSetting; search: Search } {
  const search = new SettingSearch(grounds);
  return { chosen: search.run(), search: search.describe() };
}

class SettingSearch {
  private readonly grounds: Grounds;
  /** One object for equal settings, because results belong to objects. */
  private readonly known = new Map<string, OperatorSetting>();
  /** Settings measured on the first users. */
  private pool: OperatorSetting[] = [];
  private readonly planned = new Set<OperatorSetting>();
  /** Maximum work until now. */
  private allowed: number;

  constructor(grounds: Grounds) {
    this.grounds = grounds;
    this.allowed = grounds.allowed;
  }

  run(): OperatorSetting {
    const { grounds } = this;
    const { results, reach, denseReach, users } = grounds;
    const regimes: Regime[] = reach >= denseReach ? ['dense'] : ['dense', 'sparse'];
    const first = this.compareStarts(regimes.map((regime) => starts[regime]));
    const isSparse = first === starts.sparse;
    // A mixture finds the small ridge too, and hardly any setting of the grid exceeds the sparse start by enough.
    if (isSparse && grounds.mixture > 0) return this.mix(first, first);
    const hasRoom = !isSparse || this.hasRoomToCompare('sparse', this.allowed);
    if (!isSparse && !this.hasRoomToCompare('dense', costlyFrom * this.allowed)) this.allowed = Math.max(this.allowed, grounds.costly);
    this.measure([first], grounds.firstUsers, true);
    const open = results.contenders(this.pool, 2);
    const usual = isSparse && grounds.regressions > 0 ? this.withSmallRidge(first) : first;
    if (!hasRoom) return usual;
    const explored = regimes.filter((regime) => open.includes(starts[regime])).sort((a) => (starts[a] === first ? -1 : 1));
    for (const regime of explored) this.halve(coarseGrid[regime]);
    if (grounds.regressions > 0) this.tryRidge(first);
    this.refine();
    this.compareFinalists(usual, users);
    // Before a mixture, other pu change nothing on seven of eight development sets and lose 2.5 % on one, for three more factorisations.
    if (explored.includes('dense') && this.grounds.mixture === 0) this.tryOtherUsers(first, users);
    const best = results.best(results.contenders(this.pool, finalists), usual, isSparse ? sparseErrors : undefined);
    return this.mix(best, first);
  }

  /** The better start: on all first users, or on the part of these that shows that the other one is clearly worse. */
  private compareStarts(given: readonly OperatorSetting[]): OperatorSetting {
    const { results, firstUsers } = this.grounds;
    this.measure(given, Math.ceil(startShare * firstUsers), true);
    const open = results.contenders(given, given.length, clearErrors);
    if (open.length > 1) this.measure(open, firstUsers, true);
    return results.best(open, given[0] as OperatorSetting);
  }

  /**
   * The best mixture of the setting's operator with a ridge and alternating least squares. A mixture replaces a setting without all pairs unless ridges list clearly worse than the settings they were
   * tried beside, or the mixture clearly worse than the setting, or the work ended the search of larger data, whose choice would take a third longer (Debian dependencies); in a small catalogue, if it
   * lists better as served: whole rows measure all pairs as well as common users, but rows are cut. The allowance grows by the second variant, so that as many catalogues have a mixture as with one.
   */
  private mix(chosen: OperatorSetting, start: OperatorSetting): OperatorSetting {
    const { trial, results, mixture, deciding, isSmallCatalogue } = this.grounds;
    if (mixture === 0) return chosen;
    const users = deciding.subarray(0, mixedUsers);
    const mixtures = new Mixtures({ trial, results, users, same: (setting) => this.same(setting), plan: (setting) => this.planned.add(setting) });
    const regime = start === starts.sparse ? 'sparse' : 'dense';
    const [lambda, als] = [chosen.lambda ?? lambdas[regime], alsVariants(regime, this.grounds.entries)];
    const [first = 0, second = 0] = als.map((options) => trial.furtherAls(chosen.pu, options));
    this.allowed += mixture + second;
    if (chosen.allPairs === true) {
      return mixtures.of(chosen, lambda, als, (scale, measure) =>
        chosen === starts.sparse ? this.betterWithRidge(chosen, ridgesOf(chosen, lambda, scale, [smallShare]), measure) : chosen);
    }
    if (!isSmallCatalogue && (this.isWorseWithRidge() || (this.grounds.entries > drawnEntries && this.tried < this.planned.size))) return chosen;
    const all = this.same({ ...chosen, allPairs: true });
    const further = first + second + (isSmallCatalogue ? mixtures.servedWork([chosen, { ...all, als: 1 }]) : 0);
    if (!this.hasRoom([{ ...all, lambda }], users.length, further)) return chosen;
    const mixed = mixtures.of(all, lambda, als);
    if (isSmallCatalogue) return mixtures.betterAsServed(mixed, chosen);
    this.measure([chosen], users.length, true);
    return results.contenders([chosen, mixed], 2, requiredErrors).includes(mixed) ? mixed : chosen;
  }

  /** Whether all ridges that were measured on the first users list clearly worse than the same setting without one. */
  private isWorseWithRidge(): boolean {
    const ridges = this.pool.filter(({ ridge = 0 }) => ridge > 0);
    const plain = ridges.map(({ pu, pa, pb, T, b }) => this.same({ pu, pa, pb, T, b }));
    return ridges.length > 0 && this.grounds.results.contenders([...plain, ...ridges], 1 + ridges.length).every(({ ridge = 0 }) => ridge === 0);
  }

  describe(): Search {
    const { trial, training, reach } = this.grounds;
    return {
      settings: this.planned.size, tried: this.tried, ended: this.tried === this.planned.size ? 'all were tried' : 'its share was used up',
      used: (trial.factorWork + trial.scoreWork) / training, allowed: this.allowed / training, reach,
    };
  }

  private get tried(): number {
    return [...this.planned].filter((setting) => this.grounds.results.usersOf(setting) > 0).length;
  }

  private get usualShares(): readonly number[] {
    return shares[isSmall(this.grounds.training) ? 'small' : 'large'];
  }

  /** Tries settings on growing parts of the first users, each time without the worse two thirds. */
  private halve(given: readonly OperatorSetting[], parts: readonly number[] = this.usualShares): void {
    const { results, firstUsers } = this.grounds;
    let left = given.map((setting) => this.same(setting));
    parts.forEach((share, round) => {
      if (round > 0) left = results.ordered(left).slice(0, Math.max(2, Math.ceil(left.length / 3)));
      if (left.length > 0 && !this.measure(left, Math.ceil(share * firstUsers))) left = [];
    });
  }

  /** Moves from the best setting to a better neighbour as long as there is one. */
  private refine(): void {
    const { results } = this.grounds;
    for (let step = 0; step < steps; step++) {
      const [best] = results.ordered(this.pool);
      if (best === undefined) return;
      this.halve(neighboursOf(best));
      if (results.ordered(this.pool)[0] === best) return;
    }
  }

  /**
   * The sparse start with a small ridge, unless the ridge is clearly worse. On four sparse sets the ridge lists better by .3 to 3 %, less
   * than the chance of 3,000 users, so the deciding users cannot be asked to prove the gain.
   */
  private withSmallRidge(start: OperatorSetting): OperatorSetting {
    return this.betterWithRidge(start, this.ridges(start, lambdas.sparse, [smallShare]), (settings) => this.measure(settings, this.grounds.firstUsers));
  }

  /** The setting with the ridge unless this is clearly worse; without a ridge if there is none, or if the work does not allow to measure it. */
  private betterWithRidge(plain: OperatorSetting, ridges: readonly OperatorSetting[], measure: (settings: readonly OperatorSetting[]) => void): OperatorSetting {
    const { results } = this.grounds;
    const [ridged] = ridges.map((setting) => this.same(setting));
    if (ridged === undefined) return plain;
    measure([plain, ridged]);
    return results.usersOf(ridged) > 0 && results.contenders([plain, ridged], 2).includes(ridged) ? ridged : plain;
  }

  /**
   * Tries the best setting, with all pairs, beside a regression with several weights, first on half of the users: on a quarter of the users, a wrong
   * weight often wins.
   */
  private tryRidge(first: OperatorSetting): void {
    const { results } = this.grounds;
    const [best = first] = results.ordered(this.pool);
    if (best.pu !== first.pu) return;
    const { ridge: _, lambda: __, ...plain } = best;
    this.halve(this.ridges({ ...plain, allPairs: true }, lambdas[first === starts.sparse ? 'sparse' : 'dense'], ridgeShares), shares.large);
  }

  /** The setting with ridges that have these shares of a list's values; none if the work does not allow the regression. */
  private ridges(base: OperatorSetting, lambda: number, valueShares: readonly number[]): OperatorSetting[] {
    const { trial, deciding } = this.grounds;
    if (!this.hasRoom([{ ...base, lambda }], scaleUsers)) return [];
    return ridgesOf(base, lambda, trial.ridgeScale(base, lambda, deciding.subarray(0, scaleUsers)), valueShares).map((setting) => this.same(setting));
  }

  private tryOtherUsers(first: OperatorSetting, users: number): void {
    const { results } = this.grounds;
    const [best = first] = results.ordered(this.pool);
    for (const pu of new Set(otherUserExponents.map((setting) => setting.pu))) {
      const before = this.pool.length;
      this.halve([{ ...best, pu }, ...otherUserExponents.filter((setting) => setting.pu === pu)]);
      if (this.pool.length > before) this.compareFinalists(first, users, pu);
    }
  }

  /** Measures the first setting and the contenders on all users, while the factors of their pu are in memory. */
  private compareFinalists(first: OperatorSetting, users: number, pu = first.pu): void {
    const finals = this.grounds.results.contenders(this.pool, finalists);
    this.measure([...new Set([first, ...finals])].filter((setting) => setting.pu === pu), users);
  }

  /**
   * Measures settings on the first `count` users, if the work allows it.
   * @returns whether the settings were measured
   */
  private measure(settings: readonly OperatorSetting[], count: number, always = false): boolean {
    const { results, firstUsers } = this.grounds;
    const missing = settings.map((setting) => this.same(setting)).filter((setting) => results.usersOf(setting) < count);
    for (const setting of missing) this.planned.add(setting);
    if (missing.length === 0) return true;
    if (!always && !this.hasRoom(missing, count)) return false;
    results.measure(missing, count);
    if (count >= firstUsers) this.pool = [...new Set([...this.pool, ...settings.map((setting) => this.same(setting))])];
    return true;
  }

  /**
   * Whether the work allows to try a grid and to compare its best settings on all users. On the first users alone, hardly any setting exceeds the sparse
   * start by enough, so without this room the rest of the search would be in vain.
   */
  private hasRoomToCompare(regime: Regime, allowed: number): boolean {
    const { firstUsers, users, regressions, results, trial } = this.grounds;
    const grid = coarseGrid[regime];
    const [part = 1] = this.usualShares;
    for (const setting of grid) this.planned.add(this.same(setting));
    const lists = Math.ceil(part * firstUsers) + (firstUsers - results.usersOf(starts[regime]) + finalists * (users - firstUsers)) / grid.length;
    return this.hasRoom(grid, lists, regressions > 0 ? trial.furtherRidge(lambdas[regime]) : 0, allowed);
  }

  /** Whether factors, if they are not in memory, and lists at the average cost so far exceed the allowed work. */
  private hasRoom(settings: readonly OperatorSetting[], count: number, further = 0, allowed = this.allowed): boolean {
    const { trial, results } = this.grounds;
    const lists = settings.reduce((sum, setting) => sum + count - results.usersOf(setting), 0);
    const [{ pu, lambda } = { pu: 0 }] = settings;
    const expected = trial.furtherFactors(pu) + (lambda === undefined ? 0 : trial.furtherRidge(lambda)) + (trial.scoreWork / Math.max(1, results.scored)) * lists;
    return trial.factorWork + trial.scoreWork + expected + further <= allowed;
  }

  private same(setting: OperatorSetting): OperatorSetting {
    const { pu, pa, pb, T, b, allPairs = false, ridge = 0, lambda = 0, als = 0, confidence = 0 } = setting;
    const key = [pu, pa, pb, T, b, allPairs, ridge, lambda, als, confidence].join(' ');
    const known = this.known.get(key) ?? setting;
    this.known.set(key, known);
    return known;
  }
}
