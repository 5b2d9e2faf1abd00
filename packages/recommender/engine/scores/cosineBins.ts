import { poolAdjacentViolators } from './poolAdjacentViolators.ts';

const bins = 50;
/** Scores are added in whole units of this, so that sums are exact and the order of adding does not show in them. */
const unit = 2 ** -24;

export interface BinTotals {
  sum: Float64Array;
  count: Float64Array;
}

/**
 * What score pairs of a given embedding cosine have on average: the score of pairs that no user has in common.
 * Negative cosines share the first bin; the means are made monotone, so a nearer pair never scores less.
 */
export class CosineBins {
  private readonly sum = new Float64Array(bins);
  private readonly count = new Float64Array(bins);

  add(cosine: number, score: number): void {
    const bin = binOf(cosine);
    this.sum[bin] = (this.sum[bin] as number) + Math.round(score / unit);
    this.count[bin] = (this.count[bin] as number) + 1;
  }

  /** What was added so far, to be handed to `merge` of another thread's bins. */
  totals(): BinTotals {
    return { sum: this.sum, count: this.count };
  }

  merge({ sum, count }: BinTotals): void {
    for (let bin = 0; bin < bins; bin++) {
      this.sum[bin] = (this.sum[bin] as number) + (sum[bin] as number);
      this.count[bin] = (this.count[bin] as number) + (count[bin] as number);
    }
  }

  /** Mean score per bin, rising; an empty bin takes the mean of the nearest one below it, 0 if there is none. */
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
