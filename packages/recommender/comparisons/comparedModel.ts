import type { ModelReader } from '../engine/modelFile/openModel.ts';
import { Recommender } from '../engine/query/recommender.ts';

/** A version of a model in a comparison, as it was trained: without newer events, filters and rules. */
export class ComparedModel {
  readonly model: ModelReader;
  /** Number of lists of users with an item, by item. */
  readonly listed = new Map<number, number>();
  private readonly recommender: Recommender;
  private novelty = 0;
  private entries = 0;

  constructor(model: ModelReader) {
    this.model = model;
    this.recommender = new Recommender(model);
  }

  /** The list of an entity, as items; it stays valid. */
  list(node: number, limit: number): number[] {
    const ranking = this.recommender.recommend(node, { types: null, limit, threshold: 0 });
    return Array.from(ranking.item.subarray(0, ranking.count));
  }

  /** Counts the list of a user. */
  count(items: readonly number[]): void {
    const users = this.model.userNode.length;
    for (const item of items) {
      this.listed.set(item, (this.listed.get(item) ?? 0) + 1);
      this.novelty += Math.log2(users / Math.max(1, this.model.degree[item] ?? 0));
    }
    this.entries += items.length;
  }

  idOf(item: number): string {
    return this.model.ids.get(this.model.itemNode[item] ?? 0);
  }

  nameOf(node: number): string | null {
    return this.model.names.get(node) || null;
  }

  /** Number of counted lists with an item; 0 if the model does not know the item. */
  timesListed(id: string): number {
    return this.listed.get(this.model.nodeItem[this.model.findNode(id)] ?? -1) ?? 0;
  }

  get facts(): { users: number; items: number; coverage: number; novelty: number | null } {
    const { userNode, itemNode } = this.model;
    return {
      users: userNode.length, items: itemNode.length, coverage: rounded(this.listed.size / Math.max(1, itemNode.length)),
      novelty: this.entries === 0 ? null : rounded(this.novelty / this.entries),
    };
  }
}

export function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
