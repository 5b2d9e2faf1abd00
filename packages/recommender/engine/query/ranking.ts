import type { GivenHistory } from './givenHistory.ts';

/** Kind of a list: related items of an item, items for a user's history, or trending items. */
type RankingKind = 'related' | 'history' | 'trending';

/**
 * A ranked list, best first: `item[r]` is the item of rank r + 1, `score[r]` its reported score in [0,1], which never rises
 * with r, and `value[r]` the ranking value within one type (0 in a stored list). The next query reuses the object.
 */
export class Ranking {
  kind: RankingKind = 'related';
  count = 0;
  /** The history that the list is for, if it is not the history in the model. */
  history: GivenHistory | null = null;
  /** Number of entries of the whole list before the first entry here; ranks in answers begin after it. */
  skipped = 0;
  item: Int32Array;
  score: Float64Array;
  value: Float64Array;

  /** @param entries expected number of entries, at least 1 */
  constructor(entries = 256) {
    this.item = new Int32Array(entries);
    this.score = new Float64Array(entries);
    this.value = new Float64Array(entries);
  }

  push(item: number, score: number, value: number): void {
    if (this.count === this.item.length) this.grow();
    this.item[this.count] = item;
    this.score[this.count] = score;
    this.value[this.count] = value;
    this.count += 1;
  }

  /** Removes the entries with a score below the threshold, which are the last entries. No other code applies `threshold`. */
  cutBelow(threshold: number): void {
    while (this.count > 0 && (this.score[this.count - 1] ?? 0) < threshold) this.count -= 1;
  }

  /** Makes room for `entries` entries; the arrays keep their contents. */
  reserve(entries: number): void {
    while (this.item.length < entries) this.grow();
  }

  private grow(): void {
    const size = this.item.length * 2;
    const { item, score, value } = this;
    this.item = new Int32Array(size);
    this.item.set(item);
    this.score = new Float64Array(size);
    this.score.set(score);
    this.value = new Float64Array(size);
    this.value.set(value);
  }
}
