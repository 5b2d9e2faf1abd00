/**
 * Divides a receipt's gas among the operations of its transaction by weight, exactly: the largest remainder gets what
 * rounding left over (Hamilton's method), the earlier of two equal ones first. Times the gas price, the shares sum to what
 * was paid to the wei.
 * @param weights positive; all operations share equally where every weight is 0
 * @returns one share each, in the order of the weights; empty where there is no operation
 */
export function shareGas(gasUsed: bigint, weights: readonly number[]): bigint[] {
  if (weights.length === 0) return [];
  const whole = weights.map((weight) => BigInt(Math.max(0, Math.round(weight))));
  const sum = whole.reduce((total, weight) => total + weight, 0n);
  const shared = sum === 0n ? whole.map(() => 1n) : whole;
  const total = sum === 0n ? BigInt(whole.length) : sum;
  const shares = shared.map((weight) => (gasUsed * weight) / total);
  const rest = Number(gasUsed - shares.reduce((given, share) => given + share, 0n));
  const byRemainder = shared
    .map((weight, place) => ({ place, remainder: (gasUsed * weight) % total }))
    .toSorted((left, right) => (left.remainder === right.remainder ? left.place - right.place : left.remainder < right.remainder ? 1 : -1));
  for (const { place } of byRemainder.slice(0, rest)) shares[place] = (shares[place] ?? 0n) + 1n;
  return shares;
}
