import { scoreUnits } from '../modelFile/storedLists.ts';
import { Ranking } from './ranking.ts';

/** Lists of single types, stored one after the other in one ranking's arrays; the scores within each list never rise. */
export class TypeLists {
  readonly entries = new Ranking();
  private ends: number[] = [];
  private heads: number[] = [];

  clear(): void {
    this.entries.count = 0;
    this.ends.length = 0;
  }

  /** Ends the list of one type; the entries added since the last call belong to this list. */
  endList(): void {
    if (this.entries.count > (this.ends.at(-1) ?? 0)) this.ends.push(this.entries.count);
  }

  /**
   * Merges the lists into one by descending score and keeps the order within each type; of equal scores, the earlier list
   * comes first. Scores are rounded to the six decimals of answers.
   * @param limit maximum number of entries of the merged list
   */
  mergeInto(ranking: Ranking, limit: number): void {
    if (this.ends.length === 1) this.showOne(ranking, limit);
    else this.showMerged(ranking, limit);
  }

  /** Fast path for a single list, the usual case: takes a third of the time for 100 entries. */
  private showOne(ranking: Ranking, limit: number): void {
    const { item, score, value } = this.entries;
    const count = Math.min(this.ends[0] ?? 0, limit);
    ranking.reserve(count);
    const { item: items, score: scores, value: values } = ranking;
    for (let taken = 0; taken < count; taken += 1) {
      items[taken] = item[taken] ?? 0;
      scores[taken] = Math.round((score[taken] ?? 0) * scoreUnits) / scoreUnits;
      values[taken] = value[taken] ?? 0;
    }
    ranking.count = count;
  }

  private showMerged(ranking: Ranking, limit: number): void {
    const { entries, ends, heads } = this;
    heads.length = 0;
    for (let list = 0; list < ends.length; list += 1) heads.push(list === 0 ? 0 : (ends[list - 1] ?? 0));
    ranking.count = 0;
    while (ranking.count < limit) {
      const list = this.bestHead();
      const at = heads[list];
      if (at === undefined) return;
      const score = Math.round((entries.score[at] ?? 0) * scoreUnits) / scoreUnits;
      ranking.push(entries.item[at] ?? 0, score, entries.value[at] ?? 0);
      heads[list] = at + 1;
    }
  }

  private bestHead(): number {
    const { entries, ends, heads } = this;
    let best = -1;
    let bestScore = -1;
    for (let list = 0; list < heads.length; list += 1) {
      const at = heads[list] ?? 0;
      const score = entries.score[at] ?? 0;
      if (at < (ends[list] ?? 0) && score > bestScore) {
        best = list;
        bestScore = score;
      }
    }
    return best;
  }
}
