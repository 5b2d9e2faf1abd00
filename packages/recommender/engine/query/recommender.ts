import type { AddedItems } from '../modelFile/addedItems.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { withHistory, type GivenHistory } from './givenHistory.ts';
import { type ItemTexts, makeItemTexts } from './itemTexts.ts';
import { defaultTypes, isSameFilter, type ListOptions, type TypeFilter } from './listOptions.ts';
import { storedHistory } from './sessionHistory.ts';
import { TypeLists } from './mergeTypes.ts';
import { Ranking } from './ranking.ts';
import type { RecentChanges } from './recentChanges.ts';
import { collectRelated } from './relatedItems.ts';
import { collectTrending } from './trendingItems.ts';
import { placeAdded, placedRanks } from './placeAdded.ts';
import { PlacedLists } from './placedLists.ts';
import { collectForUser, forgetSeen, markSeen } from './userItems.ts';
import { UserSums } from './userSums.ts';
import { scoreUnits } from '../modelFile/storedLists.ts';

/** Entity that a list is for: a node of the model, or the id of an entity that the model does not know. */
export type Source = number | string;

/**
 * Answers queries on one open model. Queries are synchronous; one instance answers one query at a time, and a returned
 * ranking is valid until the next query. After the first query for a user, an instance holds 5 bytes per item of the model,
 * and up to 56 bytes for each item that a user's history led to.
 * @example
 * const recommender = new Recommender(await openModel('model.bin'));
 * const ranking = recommender.recommend(recommender.model.findNode('film 1'), { types: null, limit: 10, threshold: 0 });
 */
export class Recommender {
  readonly model: ModelReader;
  readonly recent: RecentChanges | null;
  private readonly ranking = new Ranking();
  private readonly lists = new TypeLists();
  private readonly row = new Row();
  private readonly placed = new PlacedLists();
  private sums: UserSums | null = null;
  /** Default types by type of the source + 1; the last entry is for lists without a source. */
  private readonly defaults: TypeFilter[] = [];
  private texts: ItemTexts | null | undefined;

  /** @param recent what happened since the model was trained; null for the state of the training */
  constructor(model: ModelReader, recent: RecentChanges | null = null) {
    this.model = model;
    this.recent = recent;
  }

  /** Whether lists can be based on the entity: the model knows it, or newer interactions have it as their source. */
  knows(id: string): boolean {
    return this.model.findNode(id) >= 0 || this.recent?.historyOf(id, -1) != null;
  }

  /** Whether no list may contain the item. */
  hides(item: number): boolean {
    return this.recent?.hidden()?.[item] === 1;
  }

  /** Whether no answer may name the entity. */
  hidesNode(node: number): boolean {
    const item = this.model.nodeItem[node] ?? -1;
    return item >= 0 ? this.hides(item) : this.recent?.isHidden(this.model.ids.get(node)) === true;
  }

  /** Returns the history of an entity with newer interactions; empty if there is none. @param source null for nobody */
  historyOf(source: Source | null): GivenHistory {
    if (source === null) return storedHistory(this.model, -1);
    const newer = typeof source === 'string' ? this.recent?.historyOf(source, -1) : this.recent?.historyOf(this.model.ids.get(source), source);
    return newer ?? storedHistory(this.model, typeof source === 'string' ? -1 : (this.model.nodeUser[source] ?? -1));
  }

  /**
   * Returns the list of one source: for an item, its related items; for a user, items for the user's history that are not in
   * the history; otherwise trending items. A user whose history is empty or leads to no items gets trending items too.
   * @param options allowed types, smallest score, and the maximum number of entries over all types
   */
  recommend(source: Source, options: ListOptions): Ranking {
    this.ranking.history = null;
    if (typeof source === 'string') this.recommendToStranger(source, options);
    else this.recommendToNode(source, options);
    this.ranking.cutBelow(options.threshold);
    return this.ranking;
  }

  private recommendToNode(node: number, options: ListOptions): void {
    const { model, lists, ranking } = this;
    const defaults = this.defaultsFor(model.nodeType[node] ?? -1);
    const types = options.types ?? defaults;
    const item = model.nodeItem[node] ?? -1;
    const user = model.nodeUser[node] ?? -1;
    lists.clear();
    if (item >= 0) {
      ranking.kind = 'related';
      collectRelated(model, item, types, this.row, lists, this.recent?.hidden());
    } else if (this.takeRecent(model.ids.get(node), node)) {
      this.collectForHistory(types, options.limit);
    } else if (user >= 0) {
      if (isSameFilter(types, defaults) && this.takeStored(user, options.limit)) return;
      this.collectForUser(model, user, types, options.limit);
    } else {
      ranking.kind = 'trending';
      collectTrending(model, types, options.limit, null, lists, this.recent);
    }
    lists.mergeInto(ranking, options.limit);
  }

  private recommendToStranger(id: string, options: ListOptions): void {
    const types = options.types ?? this.defaultsFor(null);
    this.lists.clear();
    if (this.takeRecent(id, -1)) this.collectForHistory(types, options.limit);
    else this.collectTrending(types, options.limit);
    this.lists.mergeInto(this.ranking, options.limit);
  }

  /** Sets the ranking's history to the entity's history with newer interactions. @returns false if there are no newer interactions */
  private takeRecent(id: string, node: number): boolean {
    this.ranking.history = this.recent?.historyOf(id, node) ?? null;
    return this.ranking.history !== null;
  }

  /** Returns items for a history, without the items of the history; trending items if the history leads to no items. */
  recommendFor(history: GivenHistory, options: ListOptions): Ranking {
    this.ranking.history = history;
    this.lists.clear();
    this.collectForHistory(options.types ?? this.defaultsFor(null), options.limit);
    this.lists.mergeInto(this.ranking, options.limit);
    this.ranking.cutBelow(options.threshold);
    return this.ranking;
  }

  private collectForHistory(types: TypeFilter, limit: number): void {
    const { history } = this.ranking;
    if (history !== null) this.collectForUser(withHistory(this.model, history), 0, types, limit);
  }

  private collectTrending(types: TypeFilter, limit: number): void {
    this.ranking.kind = 'trending';
    collectTrending(this.model, types, limit, null, this.lists, this.recent);
  }

  /** Returns trending items, at most `limit` of each type. */
  trending(options: ListOptions): Ranking {
    const types = options.types ?? this.defaultsFor(null);
    this.lists.clear();
    this.ranking.history = null;
    this.collectTrending(types, options.limit);
    this.lists.mergeInto(this.ranking, Number.MAX_SAFE_INTEGER);
    this.ranking.cutBelow(options.threshold);
    return this.ranking;
  }

  /** Ids of the items in the form for CSV rows, built at the first call; null if ids must be read one by one. */
  itemTexts(): ItemTexts | null {
    if (this.texts === undefined) this.texts = makeItemTexts(this.model);
    return this.texts;
  }

  /**
   * Copies the user's stored list, which contains the default types.
   * @returns false if no list is stored or the stored lists are too short for `limit`
   */
  private takeStored(user: number, limit: number): boolean {
    const { userLists, added } = this.model;
    if (userLists === null || limit > userLists.limit) return false;
    const hidden = this.recent?.hidden() ?? null;
    this.ranking.kind = 'history';
    if (added !== null) return this.takePlaced(user, limit, hidden, added);
    const ranks = this.copyStored(user, limit);
    return ranks > 0 && !reaches(Math.max(limit, placedRanks), ranks, this.reachOf(hidden));
  }

  /** As `takeStored`, with added items in their places. */
  private takePlaced(user: number, limit: number, hidden: Uint8Array | null, added: AddedItems): boolean {
    const { model, ranking } = this;
    let list = this.placed.get(user, added.changes, hidden);
    if (list === undefined) {
      const ranks = this.copyStored(user, Number.MAX_SAFE_INTEGER);
      const reach = this.reachOf(hidden);
      if (ranks === 0 || reaches(placedRanks, ranks, reach)) return false;
      placeAdded(model, added, user, ranking, hidden);
      list = this.placed.keep(user, ranking, reach);
    }
    if (reaches(Math.max(limit, placedRanks), list.items.length, list.reach)) return false;
    const count = Math.min(list.items.length, limit);
    ranking.reserve(count);
    ranking.item.set(list.items.subarray(0, count));
    ranking.score.set(list.scores.subarray(0, count));
    ranking.value.fill(0, 0, count);
    ranking.count = count;
    return true;
  }

  /**
   * Copies the first ranks of the stored list.
   * @returns number of ranks of the whole list; 0 if no list is stored
   */
  private copyStored(user: number, limit: number): number {
    const { model: { userLists }, ranking, row } = this;
    if (userLists?.read(user, row) !== true) return 0;
    const { ints, start, count } = row;
    const wanted = Math.min(count, limit);
    ranking.reserve(wanted);
    const { item: items, score: scores, value: values } = ranking;
    let taken = 0;
    for (; taken < wanted; taken += 1) {
      const item = ints[start + taken] ?? -1;
      // An item of -1 ends a stored list that is shorter than its row.
      if (item < 0) break;
      items[taken] = item;
      scores[taken] = (ints[start + count + taken] ?? 0) / scoreUnits;
      values[taken] = 0;
    }
    ranking.count = taken;
    return count;
  }

  /** Number of ranks before the first hidden item of the stored list that was read last. */
  private reachOf(hidden: Uint8Array | null): number {
    const { ints, start, count } = this.row;
    let ranks = 0;
    if (hidden === null) return count;
    while (ranks < count && hidden[ints[start + ranks] ?? -1] !== 1) ranks += 1;
    return ranks;
  }

  private collectForUser(model: ModelReader, user: number, types: TypeFilter, limit: number): void {
    const { lists, ranking } = this;
    const sums = (this.sums ??= new UserSums(model.facts.items));
    markSeen(model, user, sums);
    ranking.kind = 'history';
    collectForUser(model, user, types, limit, sums, lists, this.recent?.hidden());
    if (lists.entries.count === 0) {
      ranking.kind = 'trending';
      collectTrending(model, types, limit, sums.seen, lists, this.recent);
    }
    forgetSeen(sums);
  }

  private defaultsFor(sourceType: number | null): TypeFilter {
    const at = sourceType === null ? this.model.facts.types.length + 1 : sourceType + 1;
    return (this.defaults[at] ??= defaultTypes(this.model, sourceType));
  }
}

/** Whether the first ranks of a list with `count` entries have a hidden item, whose place the stored list cannot fill. */
function reaches(ranks: number, count: number, reach: number): boolean {
  return Math.min(ranks, count) > reach;
}
