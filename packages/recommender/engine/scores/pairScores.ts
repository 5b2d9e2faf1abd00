/** Number of users added to the denominator, so that a pair with only one or two common users does not get a high score. */
const shrinkage = 3;

/**
 * Shrunk normalised pointwise mutual information of two items, clamped to [0,1] (Bouma 2009, with the shrinkage of Koren and
 * Bell). 0 means chance, no common user or all users in common; 1 means that the items always occur together.
 * @param common number of users of both items
 * @param degreeA number of users of the first item
 * @param degreeB number of users of the second item
 * @param users number of active users
 */
export function pairScore(common: number, degreeA: number, degreeB: number, users: number): number {
  if (common <= 0 || common >= users) return 0;
  const ratio = ((common / (common + shrinkage)) * common * users) / (degreeA * degreeB);
  return Math.min(1, Math.max(0, Math.log(ratio) / Math.log(users / common)));
}

/**
 * `pairScore` for the items of one matrix. Logarithms are computed once per item and number of common users instead of twice
 * for each of millions of pairs, so the last digits can differ from `pairScore`.
 */
export class PairScores {
  private readonly users: number;
  private readonly degree: Float64Array;
  private readonly log: Float64Array;
  /** `ln(c^2 N / (c + 3))` and `1 / ln(N / c)` for c common users and N active users. */
  private readonly shared: Float64Array;
  private readonly scale: Float64Array;

  /**
   * @param itemDegree number of users of each item
   * @param users number of active users
   */
  constructor(itemDegree: Float64Array, users: number) {
    this.users = users;
    this.degree = itemDegree;
    this.log = itemDegree.map(Math.log);
    const most = itemDegree.reduce((largest, degree) => Math.max(largest, degree), 0);
    this.shared = Float64Array.from({ length: most + 1 }, (_, common) => Math.log(((common / (common + shrinkage)) * common) * users));
    this.scale = Float64Array.from({ length: most + 1 }, (_, common) => 1 / Math.log(users / common));
  }

  /**
   * The score of two items.
   * @param common number of common users
   */
  of(common: number, item: number, other: number): number {
    if (common <= 0 || common >= this.users) return 0;
    // The tables hold whole numbers only; rounded or weighted numbers of common users are computed directly.
    if (common >= this.shared.length || !Number.isInteger(common)) {
      return pairScore(common, this.degree[item] as number, this.degree[other] as number, this.users);
    }
    const information = (this.shared[common] as number) - (this.log[item] as number) - (this.log[other] as number);
    return Math.min(1, Math.max(0, information * (this.scale[common] as number)));
  }
}
