/** What a transaction offers for a unit of gas, in wei (EIP-1559). */
export interface Fees {
  maxFee: bigint;
  tip: bigint;
}

/** What the chain asks now, in wei. */
export interface Market {
  baseFee: bigint;
  tip: bigint;
}

/** Room for a base fee that doubles: six full blocks in a row. */
export function firstFees({ baseFee, tip }: Market): Fees {
  return { maxFee: 2n * baseFee + tip, tip };
}

/** Fees that take the place of others with the same nonce: nodes want at least 10 % more, some 12.5 %, of both parts. */
export function bumpedFees(old: Fees, market: Market): Fees {
  const raised = (wei: bigint): bigint => wei + wei / 8n + 1n;
  const now = firstFees(market);
  const tip = larger(raised(old.tip), now.tip);
  return { maxFee: larger(larger(raised(old.maxFee), now.maxFee), tip), tip };
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
