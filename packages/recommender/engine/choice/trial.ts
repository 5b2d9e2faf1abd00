import { scoreByRows } from '../evaluation/scoreHistory.ts';
import { listMetrics, rankUsers } from '../evaluation/rankUsers.ts';
import { factorise, mostProducts } from '../factors/factorise.ts';
import { operatorWeights } from '../time/historyWeights.ts';
import { computeAls, usualAls, type AlsOptions } from '../ridge/alsMatrix.ts';
import { computeRidge, type ItemMatrix } from '../ridge/ridgeMatrix.ts';
import { weightedSum } from '../ridge/weightedSum.ts';
import { alsWork, factorWork, keyWork, ridgeWork } from './work.ts';
import { FollowedLists } from './followedLists.ts';
import { ProfileScorer } from './profileScorer.ts';
import type { ContentVectors } from '../neighbours/attributes/contentVectors.ts';
import { scoredSetting, type ScoredSetting } from './scoredSetting.ts';
import { servedRows, servedRowsWork } from './servedLists.ts';
import { scaleOf, SummandLists } from './summandLists.ts';
import type { Catalogue } from '../catalogue/numberItems.ts';
import type { Factors } from '../factors/factorise.ts';
import type { History } from '../matrix/buildHistory.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { Workspace } from '../kernels/workspace.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { OperatorSetting } from '../data/trainingData.ts';

const cutoff = 20;

/**
 * Compares settings on held-out items. Consecutive settings with the same pu share their factors, and those with the same penalty
 * their regression.
 */
export class Trial {
  /** Work spent on factors and regressions, and on scores. */
  factorWork = 0;
  scoreWork = 0;
  private readonly interactions: Interactions;
  private readonly history: History;
  private readonly test: SparseRows;
  private readonly catalogue: Catalogue;
  private readonly followed: FollowedLists;
  private readonly seed: number;
  private mark: number | undefined;
  /** Whether the last histories that were measured had weights by recency. A search asks again for those with the same weights only. */
  private recency = false;
  private scorer: { pu: number; factors: Factors; scorer: ProfileScorer } | null = null;
  /** Number of products for the last factors; before the first ones, the maximum. */
  private products = mostProducts();
  private ridge: { lambda: number; matrix: ItemMatrix } | null = null;
  private als: (AlsOptions & { pu: number; matrix: ItemMatrix })[] = [];
  private readonly readContent: () => ContentVectors | null;
  private content: ContentVectors | null | undefined;

  /** @param readContent reads the metadata of the items; called at the first setting with content */
  constructor(
    interactions: Interactions, history: History, test: SparseRows, catalogue: Catalogue, seed: number, readContent: () => ContentVectors | null = () => null,
  ) {
    this.interactions = interactions;
    this.history = history;
    this.test = test;
    this.catalogue = catalogue;
    this.followed = new FollowedLists(history, catalogue, interactions.items);
    this.seed = seed;
    this.readContent = readContent;
  }

  /**
   * Measures settings with the same pu, recency and lambda, and of those with als the same confidence.
   * @returns for each setting, recall@20 and ndcg@20 of each user, alternating
   */
  measure(settings: readonly OperatorSetting[], users: Int32Array): Float64Array[] {
    return this.measureHorizons(settings, users, []).map(([all]) => all as Float64Array);
  }

  /**
   * Measures settings as `measure` does, at several horizons.
   * @param ends for each horizon, the number of each user's held-out items that belong to the horizon; no horizons mean all items
   * @returns for each setting and horizon, recall@20 and ndcg@20 of each user, alternating
   */
  measureHorizons(settings: readonly OperatorSetting[], users: Int32Array, ends: readonly Int32Array[]): Float64Array[][] {
    const [{ pu, recency = false, lambda } = { pu: 0 }] = settings;
    const scorer = this.scorerOf(pu);
    const mixed = settings.find(({ als = 0 }) => als > 0);
    scorer.useMatrices(lambda === undefined ? null : this.ridgeOf(lambda), mixed === undefined ? null : this.alsOf(pu, mixed));
    if (this.recency !== recency) scorer.forget();
    this.recency = recency;
    scorer.useContent(settings.some(({ content = 0 }) => content > 0) ? this.vectors : null);
    const horizons = Math.max(1, ends.length);
    const results = settings.map(() => Array.from({ length: horizons }, () => new Float64Array(2 * users.length)));
    const scored = settings.map(scoredSetting);
    const order = [...settings.keys()].sort((a, b) => inSharedOrder(scored[a] as ScoredSetting, scored[b] as ScoredSetting));
    for (const [place, user] of users.entries()) {
      const items = this.history.index.subarray(this.history.pointer[user], this.history.pointer[user + 1]);
      const wanted = this.test.index.subarray(this.test.pointer[user], this.test.pointer[user + 1]);
      scorer.begin(keyOf(user, recency), items, operatorWeights(items.length, recency));
      this.followed.begin(items);
      for (const at of order) this.measureList(scorer, scored[at] as ScoredSetting, wanted, place, ends, results[at] as Float64Array[]);
    }
    this.scoreWork += scorer.takeWork();
    return results;
  }

  /** Measures a setting for the user of the scorer. */
  private measureList(scorer: ProfileScorer, setting: ScoredSetting, wanted: Int32Array, place: number, ends: readonly Int32Array[], results: readonly Float64Array[]): void {
    scorer.score(setting);
    const { transitions } = setting;
    const list = transitions === 0 ? scorer.best(cutoff) : this.followed.list(transitions, scorer, cutoff);
    for (let horizon = 0; horizon < results.length; horizon++) {
      const { recall, ndcg } = listMetrics(list, wanted.subarray(0, ends[horizon]?.[place]));
      results[horizon]?.set([recall, ndcg], 2 * place);
    }
  }

  /** Number of products that the factors of a pu take. Computes the factors, unless they are in memory. */
  productsFor(pu: number): number {
    this.scorerOf(pu);
    return this.products;
  }

  /** Work for computing the factors of a pu; 0 if the factors are in memory. */
  furtherFactors(pu: number): number {
    return this.scorer?.pu === pu ? 0 : this.workOfFactors();
  }

  /** Work for computing the regression of a lambda; 0 if the regression is in memory. */
  furtherRidge(lambda: number): number {
    return this.ridge?.lambda === lambda ? 0 : ridgeWork(this.interactions);
  }

  /** Work for alternating least squares from the factors of a pu; 0 if their matrix is in memory. */
  furtherAls(pu: number, { rounds, confidence }: AlsOptions): number {
    return this.als.some((known) => known.pu === pu && known.rounds === rounds && known.confidence === confidence) ? 0 : alsWork(this.interactions, rounds);
  }

  /**
   * Terms of the users' best items for mixtures of a setting's operator with a ridge and alternating least squares.
   * @param plain setting with all pairs, without a ridge
   * @param scaleUsers number of users, from the first, that count for the scale
   * @param als options of alternating least squares, one or two; with two, the mixtures have the one or the other
   * @param most number of users that the lists have room for
   */
  summandsOf(plain: OperatorSetting, lambda: number, users: Int32Array, scaleUsers: number, als: readonly AlsOptions[], most = users.length): SummandLists {
    const scorer = this.scorerOf(plain.pu);
    const lists = new SummandLists(scorer.bestCandidates, most, scorer.candidates.length, als.map(({ confidence }) => confidence));
    this.addSummands(lists, plain, lambda, users, scaleUsers, als);
    return lists;
  }

  /** Adds the terms of users to lists that this or another trial of the same data began, see `summandsOf`. */
  addSummands(lists: SummandLists, plain: OperatorSetting, lambda: number, users: Int32Array, scaleUsers: number, als: readonly AlsOptions[]): void {
    const scorer = this.scorerOf(plain.pu);
    scorer.useMatrices(this.ridgeOf(lambda), ...als.map((options) => this.alsOf(plain.pu, options)));
    scorer.useContent(null);
    const scored = scoredSetting(plain);
    for (const [place, user] of users.entries()) {
      const items = this.history.index.subarray(this.history.pointer[user], this.history.pointer[user + 1]);
      scorer.begin(keyOf(user), items, operatorWeights(items.length, false), true);
      scorer.score(scored);
      lists.add(scorer.terms, this.test.index.subarray(this.test.pointer[user], this.test.pointer[user + 1]), place < scaleUsers);
    }
    this.scoreWork += scorer.takeWork();
  }

  /** Measures a setting without time with rows as a training would compute them: recall@20 and ndcg@20 of each user, alternating. */
  measureServed(setting: OperatorSetting, users: Int32Array): Float64Array {
    const { pu, ridge = 0, lambda = 0, als = 0 } = setting;
    const { factors } = this.scorerFor(pu);
    const { history, test, interactions, catalogue } = this;
    const matrix = weightedSum(ridge === 0 ? null : this.ridgeOf(lambda), ridge, als === 0 ? null : this.alsOf(pu, setting), als);
    const isWanted = new Uint8Array(interactions.items);
    for (const user of users) for (const item of history.index.subarray(history.pointer[user], history.pointer[user + 1])) isWanted[item] = 1;
    this.scoreWork += this.servedWork(setting, users);
    const rows = servedRows(interactions, factors, catalogue, setting, matrix, isWanted);
    const { recall, ndcg } = rankUsers(users, history, test, interactions.items, scoreByRows(history, rows));
    return Float64Array.from({ length: 2 * users.length }, (_, at) => (at % 2 === 0 ? recall : ndcg)[at >> 1] as number);
  }

  /** Work of `measureServed`. */
  servedWork(setting: OperatorSetting, users: Int32Array): number {
    const { pointer } = this.history;
    const entries = users.reduce((sum, user) => sum + (pointer[user + 1] as number) - (pointer[user] as number), 0);
    return servedRowsWork(this.interactions, setting, entries);
  }

  /** Measures a mixture on the users of the lists. */
  measureMixture(setting: OperatorSetting, lists: SummandLists): Float64Array {
    const before = lists.keys;
    const results = lists.measure(setting);
    this.scoreWork += keyWork(lists.keys - before);
    return results;
  }

  /**
   * Weight of the ridge at which the regression moves the first places of the users' lists as much as the rest of a setting: the
   * ratio of the 20th largest values, over all users together.
   * @param setting setting with all pairs, without a ridge
   */
  ridgeScale(setting: OperatorSetting, lambda: number, users: Int32Array): number {
    const scorer = this.scorerOf(setting.pu);
    scorer.useMatrices(this.ridgeOf(lambda));
    scorer.useContent(null);
    return this.scaleBeside(scorer, setting, users, ({ ridge }) => ridge);
  }

  /**
   * Weight of the metadata at which they move the first places of the users' lists as much as the rest of a setting, as `ridgeScale`; 0 without metadata.
   * @param setting setting without content
   */
  contentScale(setting: OperatorSetting, users: Int32Array): number {
    if (this.vectors === null) return 0;
    const scorer = this.scorerOf(setting.pu);
    scorer.useMatrices(setting.lambda === undefined ? null : this.ridgeOf(setting.lambda), (setting.als ?? 0) > 0 ? this.alsOf(setting.pu, setting) : null);
    scorer.useContent(this.vectors);
    return this.scaleBeside(scorer, setting, users, ({ content }) => content);
  }

  /** Ratio of the 20th largest values of a setting and of other terms, over all users together; 0 if the terms have no values. */
  private scaleBeside(scorer: ProfileScorer, setting: OperatorSetting, users: Int32Array, termsOf: (terms: ProfileScorer['terms']) => Float32Array): number {
    const { history } = this;
    const scored = scoredSetting(setting);
    let [own, other] = [0, 0];
    for (const user of users) {
      const items = history.index.subarray(history.pointer[user], history.pointer[user + 1]);
      scorer.begin(keyOf(user, setting.recency), items, operatorWeights(items.length, setting.recency ?? false));
      scorer.score(scored);
      const { terms } = scorer;
      own += scorer.bestCandidates.lastOf(terms.candidates, terms.operator, terms.candidates.length, cutoff);
      other += scorer.bestCandidates.lastOf(terms.candidates, termsOf(terms), terms.candidates.length, cutoff);
    }
    this.scoreWork += scorer.takeWork();
    return scaleOf(own, other);
  }

  /** Metadata of the items; null if there are none. */
  private get vectors(): ContentVectors | null {
    if (this.content === undefined) this.content = this.readContent();
    return this.content;
  }

  private workOfFactors(): number {
    return factorWork(this.interactions, this.interactions.rows.index.length, this.products);
  }

  private ridgeOf(lambda: number): ItemMatrix {
    if (this.ridge?.lambda !== lambda) {
      this.factorWork += this.furtherRidge(lambda);
      this.ridge = { lambda, matrix: computeRidge(this.withWorkspace(), lambda) };
    }
    return this.ridge.matrix;
  }

  /** Without rounds, those of the matrix in memory, so that a setting is measured as its mixture was. */
  private alsOf(pu: number, { rounds, confidence = usualAls.confidence }: Partial<AlsOptions>): ItemMatrix {
    const { factors } = this.scorerFor(pu);
    const known = this.als.find((each) => each.pu === pu && each.confidence === confidence && (rounds ?? each.rounds) === each.rounds);
    if (known !== undefined) return known.matrix;
    const options = { rounds: rounds ?? usualAls.rounds, confidence };
    this.factorWork += this.furtherAls(pu, options);
    const matrix = computeAls(this.withWorkspace(), factors, options);
    this.als = [...this.als.filter((each) => each.pu === pu && each.confidence !== confidence), { pu, ...options, matrix }];
    return matrix;
  }

  private withWorkspace(): Interactions & { workspace: Workspace } {
    const { workspace } = this.interactions;
    if (workspace === null) throw new Error('a setting with a ridge or als needs the kernels');
    return { ...this.interactions, workspace };
  }

  private scorerOf(pu: number): ProfileScorer {
    return this.scorerFor(pu).scorer;
  }

  private scorerFor(pu: number): { factors: Factors; scorer: ProfileScorer } {
    if (this.scorer?.pu !== pu) {
      // Releases the memory of the previous factors and scorer.
      const { workspace } = this.interactions;
      this.mark ??= workspace?.mark();
      for (const known of [this.ridge, ...this.als]) if (known !== null) known.matrix = copyOf(known.matrix);
      if (this.mark !== undefined) workspace?.release(this.mark);
      const factors = factorise(this.interactions, pu, this.seed, () => {});
      this.products = factors.products;
      this.factorWork += this.workOfFactors();
      this.scorer = { pu, factors, scorer: new ProfileScorer(this.interactions, factors, pu, this.catalogue.itemGroup) };
    }
    return this.scorer;
  }
}

/** A copy outside of the workspace. */
function copyOf({ items, place, values, stride }: ItemMatrix): ItemMatrix {
  return { items: items.slice(), place: place.slice(), values: values.slice(), stride };
}

/** Number of a user's history with its weights. */
function keyOf(user: number, recency = false): number {
  return 2 * user + Number(recency);
}

/** Orders settings so that settings that share work of the scorer are consecutive. */
function inSharedOrder(a: ScoredSetting, b: ScoredSetting): number {
  return Number(a.allPairs) - Number(b.allPairs) || a.pa - b.pa || a.T - b.T;
}
