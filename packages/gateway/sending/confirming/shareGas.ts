/**
 * Divides a receipt's gas among operations by weight, exactly. The largest remainders receive what rounding left over (Hamilton's
 * method); of equal remainders, the earlier one comes first. The shares times the gas price sum to the amount paid, to the wei.
 * @param weights not negative; if every weight is 0, all operations share equally
 * @returns one share per weight, in order; empty without weights
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
