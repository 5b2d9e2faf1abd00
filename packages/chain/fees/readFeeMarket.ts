import { getBlock } from '../rpc/chainReads.ts';
import { readQuantity } from '../rpc/readResult.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';
import { RpcRefused } from '../rpc/rpcErrors.ts';
import type { FeeMarket } from './fees.ts';

/** For nodes that suggest no tip. */
const usualTipWei = 1_000_000_000n;

/**
 * What the chain asks at the newest block.
 * @param capWei most that may be paid for a unit of gas
 * @throws RpcUnavailable; RpcRefused where blocks have no base fee and the endpoint knows no gas price
 */
export async function readFeeMarket(rpc: RpcClient, capWei: bigint, signal?: AbortSignal): Promise<FeeMarket & { headNumber: number }> {
  const head = await getBlock(rpc, 'latest', signal);
  const headNumber = head?.number ?? 0;
  const baseFeeWei = head?.baseFee ?? null;
  if (baseFeeWei === null) {
    return { baseFeeWei: 0n, suggestedTipWei: await rpc.ask('eth_gasPrice', [], readQuantity, signal), capWei, legacy: true, headNumber };
  }
  const suggestedTipWei = await rpc.ask('eth_maxPriorityFeePerGas', [], readQuantity, signal).catch((error: unknown) => {
    if (error instanceof RpcRefused) return usualTipWei;
    throw error;
  });
  return { baseFeeWei, suggestedTipWei, capWei, headNumber };
}
