/** What a transaction offers for a unit of gas, in wei (EIP-1559). */
export interface Fees {
  maxFeeWei: bigint;
  priorityFeeWei: bigint;
  /** Both parts are one gas price, and the transaction is of the type before EIP-1559: the chain's blocks have no base fee. */
  legacy?: true;
}

/** What the chain asks at the newest block, and what the operator allows. */
export interface FeeMarket {
  baseFeeWei: bigint;
  /** The tip that the node suggests; on a chain without base fees the whole gas price. */
  suggestedTipWei: bigint;
  capWei: bigint;
  /** Blocks have no base fee: `baseFeeWei` is 0. */
  legacy?: true;
}

/** A transaction that could be next, and is not after this many blocks and this long, offers more. */
const stuckBlocks = 8;
const stuckMs = 8_000;

/** Nodes refuse a replacement that adds less than 10 %; some ask for 12.5 %. */
const bumpNumerator = 1125n;
const bumpDenominator = 1000n;

/**
 * Fees of a new transaction: room for a base fee that doubles (six full blocks in a row), but never above the cap.
 * Null where the chain asks more than the cap at this moment: then nothing new is sent.
 */
export function initialFees({ baseFeeWei, suggestedTipWei, capWei, legacy }: FeeMarket): Fees | null {
  if (legacy) return suggestedTipWei > capWei ? null : { maxFeeWei: suggestedTipWei, priorityFeeWei: suggestedTipWei, legacy };
  if (baseFeeWei > capWei) return null;
  const priorityFeeWei = smaller(suggestedTipWei, capWei - baseFeeWei);
  return { maxFeeWei: smaller(2n * baseFeeWei + priorityFeeWei, capWei), priorityFeeWei };
}

/**
 * Fees of a transaction that takes the place of one with the same nonce: both parts at least 12.5 % above it, and what the
 * chain asks now. Null where the cap does not allow that: then the old one keeps its place and is sent again.
 */
export function replacementFees(old: Fees, market: FeeMarket): Fees | null {
  const { capWei, legacy } = market;
  const least = { maxFeeWei: raised(old.maxFeeWei), priorityFeeWei: raised(old.priorityFeeWei) };
  if (least.maxFeeWei > capWei || least.priorityFeeWei > capWei) return null;
  const wanted = initialFees(market) ?? { maxFeeWei: capWei, priorityFeeWei: market.suggestedTipWei };
  const maxFeeWei = larger(least.maxFeeWei, wanted.maxFeeWei);
  return legacy
    ? { maxFeeWei, priorityFeeWei: maxFeeWei, legacy }
    : { maxFeeWei, priorityFeeWei: smaller(larger(least.priorityFeeWei, wanted.priorityFeeWei), maxFeeWei) };
}

/** Whether a block with this base fee may hold the transaction. */
export function isPayable(fees: Fees, baseFeeWei: bigint): boolean {
  return fees.maxFeeWei >= baseFeeWei;
}

/** Whether a transaction whose nonce is next has waited so long that its tip must be too low for the chain. */
export function isStuck({ blocks, ms }: { blocks: number; ms: number }): boolean {
  return blocks >= stuckBlocks && ms >= stuckMs;
}

/** The least that a replacement offers: 12.5 % more, and at least one wei, since 12.5 % of nothing is nothing. */
export function raised(wei: bigint): bigint {
  return larger((wei * bumpNumerator + bumpDenominator - 1n) / bumpDenominator, wei + 1n);
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
