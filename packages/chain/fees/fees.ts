/** Fee offer of a transaction in wei per gas (EIP-1559). */
export interface Fees {
  maxFeeWei: bigint;
  priorityFeeWei: bigint;
  /** Set on chains without a base fee: the transaction is a legacy transaction, and both values equal its gas price. */
  legacy?: true;
}

/** Current fees of the chain and the operator's limit, in wei per gas. */
export interface FeeMarket {
  baseFeeWei: bigint;
  /** Priority fee suggested by the node; on a chain without a base fee, the gas price. */
  suggestedTipWei: bigint;
  capWei: bigint;
  /** Set if blocks have no base fee; `baseFeeWei` is then 0. */
  legacy?: true;
}

/** A transaction that could be in the next block, but has waited at least this many blocks and milliseconds, is stuck. */
const stuckBlocks = 8;
const stuckMs = 8_000;

/** Replacement fees increase by 12.5 %: most nodes reject a replacement with less than 10 % more, some require 12.5 %. */
const bumpNumerator = 1125n;
const bumpDenominator = 1000n;

/**
 * Computes the fees of a new transaction. The maximum fee allows the base fee to double (six full blocks in a row), limited by capWei.
 * @returns null if the current base fee, or the legacy gas price, exceeds capWei: no new transaction should be sent
 */
export function initialFees({ baseFeeWei, suggestedTipWei, capWei, legacy }: FeeMarket): Fees | null {
  if (legacy) return suggestedTipWei > capWei ? null : { maxFeeWei: suggestedTipWei, priorityFeeWei: suggestedTipWei, legacy };
  if (baseFeeWei > capWei) return null;
  const priorityFeeWei = smaller(suggestedTipWei, capWei - baseFeeWei);
  return { maxFeeWei: smaller(2n * baseFeeWei + priorityFeeWei, capWei), priorityFeeWei };
}

/**
 * Computes the fees of a transaction that replaces one with the same nonce: both fees increase by at least 12.5 %, and at least to the
 * market's current level. If the maximum fee cannot increase so far below capWei, the priority fee increases alone: nodes that have the old
 * transaction refuse the new one, but nodes that have a transaction of another program at the nonce take it.
 * @returns null if no fee can increase below capWei: the old transaction should then be sent again unchanged
 */
export function replacementFees(old: Fees, market: FeeMarket): Fees | null {
  const { capWei, legacy } = market;
  const least = { maxFeeWei: raised(old.maxFeeWei), priorityFeeWei: raised(old.priorityFeeWei) };
  if (old.maxFeeWei > capWei || least.priorityFeeWei > capWei) return null;
  if (least.maxFeeWei > capWei) return legacy || market.baseFeeWei > capWei ? null : { maxFeeWei: capWei, priorityFeeWei: least.priorityFeeWei };
  const wanted = initialFees(market) ?? { maxFeeWei: capWei, priorityFeeWei: market.suggestedTipWei };
  const maxFeeWei = larger(least.maxFeeWei, wanted.maxFeeWei);
  return legacy
    ? { maxFeeWei, priorityFeeWei: maxFeeWei, legacy }
    : { maxFeeWei, priorityFeeWei: smaller(larger(least.priorityFeeWei, wanted.priorityFeeWei), maxFeeWei) };
}

/** Whether a block with this base fee can include the transaction. */
export function isPayable(fees: Fees, baseFeeWei: bigint): boolean {
  return fees.maxFeeWei >= baseFeeWei;
}

/** Whether a transaction with the next nonce has waited so long that its fee must be too low. */
export function isStuck({ blocks, ms }: { blocks: number; ms: number }): boolean {
  return blocks >= stuckBlocks && ms >= stuckMs;
}

/** Minimum fee of a replacement: 12.5 % more, rounded up, and at least 1 wei more, because 12.5 % of 0 is 0. */
export function raised(wei: bigint): bigint {
  return larger((wei * bumpNumerator + bumpDenominator - 1n) / bumpDenominator, wei + 1n);
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
