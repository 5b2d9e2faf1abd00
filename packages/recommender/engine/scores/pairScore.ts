/** Users added to the denominator, so that a pair seen together once or twice does not look certain. */
export const shrinkage = 3;

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
