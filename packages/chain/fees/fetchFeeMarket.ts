import { getBlock } from '../rpc/chainReads.ts';
import { parseQuantity } from '../rpc/parseResult.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';
import { RpcRefused } from '../rpc/rpcErrors.ts';
import type { FeeMarket } from './fees.ts';

/** Priority fee in wei per gas for nodes without eth_maxPriorityFeePerGas: 1 gwei. */
const usualTipWei = 1_000_000_000n;

/**
 * Reads the current fees at the newest block.
 * @param capWei the operator's maximum in wei per gas, copied into the result
 * @throws RpcUnavailable; RpcRefused if blocks have no base fee and the endpoint does not support eth_gasPrice
 */
export async function fetchFeeMarket(rpc: RpcClient, capWei: bigint, signal?: AbortSignal): Promise<FeeMarket & { headNumber: number }> {
  const head = await getBlock(rpc, 'latest', signal);
  const headNumber = head?.number ?? 0;
  const baseFeeWei = head?.baseFee ?? null;
  if (baseFeeWei === null) {
    return { baseFeeWei: 0n, suggestedTipWei: await rpc.ask('eth_gasPrice', [], parseQuantity, signal), capWei, legacy: true, headNumber };
  }
  const suggestedTipWei = await rpc.ask('eth_maxPriorityFeePerGas', [], parseQuantity, signal).catch((error: unknown) => {
    if (error instanceof RpcRefused) return usualTipWei;
    throw error;
  });
  return { baseFeeWei, suggestedTipWei, capWei, headNumber };
}
