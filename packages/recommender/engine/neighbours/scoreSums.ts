import { CosineBins, type BinTotals } from '../scores/cosineBins.ts';
import { valueBin } from './relatedFormula.ts';
import type { PairScores } from '../scores/pairScores.ts';
import type { MeanScores } from './relatedLists.ts';

/** Minimum number of users of both items for a pair to take part in the calibration of cosines. */
const calibrationUsers = 5;
/**
 * Selects one pair in eight for the calibration. The selection depends on the items only, because the candidates are
 * unordered.
 */
const calibrationMask = 7;

export interface ScoreTotals {
  any: BinTotals;
  content: BinTotals;
  value: BinTotals;
}

/** Sums of the scores that pairs have by their common users, from which follow the scores of pairs without common users. */
export class ScoreSums {
  private readonly any = new CosineBins();
  private readonly content = new CosineBins();
  private readonly value = new CosineBins();
  private readonly itemDegree: Float64Array;
  private readonly scores: PairScores;

  constructor(itemDegree: Float64Array, scores: PairScores) {
    this.itemDegree = itemDegree;
    this.scores = scores;
  }

  /** Adds the pairs of well-known items of a row. `near` has the cosines, `sums` the common users as in `CandidateRow`. */
  addRow(item: number, others: Int32Array, near: Float32Array, sums: Float32Array): void {
    const { itemDegree, scores } = this;
    if ((itemDegree[item] as number) < calibrationUsers) return;
    for (const other of others) {
      if (((item + other) & calibrationMask) !== 0 || (itemDegree[other] as number) < calibrationUsers) continue;
      this.any.add(near[other] as number, scores.of(sums[2 * other + 1] as number, item, other));
    }
  }

  /** Adds an entry of the list that a held-out item would have without its interactions. */
  addHeldOut(item: number, other: number, cosine: number, value: number, common: number): void {
    if (this.itemDegree[other] === 0) return;
    const score = this.scores.of(common, item, other);
    this.content.add(cosine, score);
    this.value.addTo(valueBin(value), score);
  }

  totals(): ScoreTotals {
    return { any: this.any.totals(), content: this.content.totals(), value: this.value.totals() };
  }
}

/** Mean scores over the sums of all threads. */
export function meanScores(totals: readonly ScoreTotals[]): MeanScores {
  const meansOf = (part: keyof ScoreTotals): Float64Array => {
    const bins = new CosineBins();
    for (const each of totals) bins.merge(each[part]);
    return bins.means();
  };
  return { any: meansOf('any'), content: meansOf('content'), value: meansOf('value') };
}
