/** Users added to the denominator, so that a pair seen together once or twice does not look certain. */
const shrinkage = 3;

/**
 * Shrunk normalised pointwise mutual information of two items, clamped to [0,1]: 0 is chance (or no common user, or
 * every user in common), 1 is "always together" (Bouma 2009, with the shrinkage of Koren and Bell).
 * @param common users of both
 * @param users active users
 */
export function pairScore(common: number, degreeA: number, degreeB: number, users: number): number {
  if (common <= 0 || common >= users) return 0;
  const ratio = ((common / (common + shrinkage)) * common * users) / (degreeA * degreeB);
  return Math.min(1, Math.max(0, Math.log(ratio) / Math.log(users / common)));
}

/**
 * `pairScore` of the items of one matrix: its logarithms are taken once for each item and number of common users instead of
 * twice for each of millions of pairs, so the last digits may differ.
 */
export class PairScores {
  private readonly users: number;
  private readonly degree: Float64Array;
  private readonly log: Float64Array;
  /** `ln(c^2 N / (c + 3))` and `1 / ln(N / c)` of c common users. */
  private readonly shared: Float64Array;
  private readonly scale: Float64Array;

  /** @param users active users */
  constructor(itemDegree: Float64Array, users: number) {
    this.users = users;
    this.degree = itemDegree;
    this.log = itemDegree.map(Math.log);
    const most = itemDegree.reduce((largest, degree) => Math.max(largest, degree), 0);
    this.shared = Float64Array.from({ length: most + 1 }, (_, common) => Math.log(((common / (common + shrinkage)) * common) * users));
    this.scale = Float64Array.from({ length: most + 1 }, (_, common) => 1 / Math.log(users / common));
  }

  /** The score of two items, which have `common` users in common. */
  of(common: number, item: number, other: number): number {
    if (common <= 0 || common >= this.users) return 0;
    // A number that no table has: common users that were rounded or weighted.
    if (common >= this.shared.length || !Number.isInteger(common)) {
      return pairScore(common, this.degree[item] as number, this.degree[other] as number, this.users);
    }
    const information = (this.shared[common] as number) - (this.log[item] as number) - (this.log[other] as number);
    return Math.min(1, Math.max(0, information * (this.scale[common] as number)));
  }
}
