import { poolAdjacentViolators } from './poolAdjacentViolators.ts';

const bins = 50;
/** Scores are added as multiples of this unit, so sums are exact and independent of the order of addition. */
const unit = 2 ** -24;

export interface BinTotals {
  sum: Float64Array;
  count: Float64Array;
}

/**
 * Mean score of pairs per bin of their embedding cosine, used as the score of pairs without common users. Negative cosines
 * share the first bin. The means are made monotone, so a pair with a larger cosine never has a smaller score.
 */
export class CosineBins {
  private readonly sum = new Float64Array(bins);
  private readonly count = new Float64Array(bins);

  add(cosine: number, score: number): void {
    this.addTo(binOf(cosine), score);
  }

  /** Adds a score to a bin that was found otherwise. */
  addTo(bin: number, score: number): void {
    this.sum[bin] = (this.sum[bin] as number) + Math.round(score / unit);
    this.count[bin] = (this.count[bin] as number) + 1;
  }

  /** Sums and counts so far, to pass to `merge` of another thread's bins. */
  totals(): BinTotals {
    return { sum: this.sum, count: this.count };
  }

  merge({ sum, count }: BinTotals): void {
    for (let bin = 0; bin < bins; bin++) {
      this.sum[bin] = (this.sum[bin] as number) + (sum[bin] as number);
      this.count[bin] = (this.count[bin] as number) + (count[bin] as number);
    }
  }

  /** Mean score per bin, ascending. An empty bin has the mean of the nearest non-empty bin below, or 0 if there is none. */
  means(): Float64Array {
    const falling = new Float64Array(bins);
    let mean = 0;
    for (let bin = 0; bin < bins; bin++) {
      if ((this.count[bin] as number) > 0) mean = (unit * (this.sum[bin] as number)) / (this.count[bin] as number);
      falling[bins - 1 - bin] = mean;
    }
    poolAdjacentViolators(falling, 0, bins);
    return falling.toReversed();
  }
}

/** Bin of a cosine, 0 to 49. */
export function binOf(cosine: number): number {
  return Math.min(bins - 1, Math.max(0, Math.floor(cosine * bins)));
}
