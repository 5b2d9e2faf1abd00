import { getBlock } from '../../rpc/chainReads.ts';
import { readQuantity } from '../../rpc/readResult.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { RpcRefused } from '../../rpc/rpcErrors.ts';

/** What a transaction offers for a unit of gas, in wei (EIP-1559). */
export interface Fees {
  maxFeeWei: bigint;
  priorityFeeWei: bigint;
}

/** `neededWei`: what a transaction must offer to be in the next block. */
export interface FeeMarket extends Fees {
  neededWei: bigint;
}

/** For nodes that suggest no tip. */
const usualTipWei = 1_000_000_000n;

/**
 * What the chain asks now, with room for a base fee that doubles (six full blocks in a row). Where blocks have no base fee, the whole
 * gas price is the tip.
 */
export async function currentFees(rpc: RpcClient, signal?: AbortSignal): Promise<FeeMarket> {
  const baseFee = (await getBlock(rpc, 'latest', signal))?.baseFee ?? null;
  if (baseFee === null) {
    const price = await rpc.ask('eth_gasPrice', [], readQuantity, signal);
    return { neededWei: price, maxFeeWei: price, priorityFeeWei: price };
  }
  const tip = await rpc.ask('eth_maxPriorityFeePerGas', [], readQuantity, signal).catch((error: unknown) => {
    if (error instanceof RpcRefused) return usualTipWei;
    throw error;
  });
  return { neededWei: baseFee + tip, maxFeeWei: 2n * baseFee + tip, priorityFeeWei: tip };
}

/** The fees of a new transaction under a cap; null where the chain asks for more than the cap now. */
export function cappedFees({ neededWei, maxFeeWei, priorityFeeWei }: FeeMarket, capWei: bigint): Fees | null {
  if (neededWei > capWei) return null;
  return { maxFeeWei: maxFeeWei < capWei ? maxFeeWei : capWei, priorityFeeWei };
}

/** Fees that take the place of others with the same nonce: nodes want at least 10 % more of both, some 12.5 %. */
export function raisedFees(old: Fees, now: Fees): Fees {
  const raised = (wei: bigint): bigint => wei + wei / 8n + 1n;
  const larger = (left: bigint, right: bigint): bigint => (left > right ? left : right);
  const priorityFeeWei = larger(raised(old.priorityFeeWei), now.priorityFeeWei);
  return { maxFeeWei: larger(larger(raised(old.maxFeeWei), now.maxFeeWei), priorityFeeWei), priorityFeeWei };
}
