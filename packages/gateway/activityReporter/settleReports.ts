import { readCredits } from '@vouch/chain/contracts/service/dayViews';
import { getReceipt } from '@vouch/chain/rpc/chainReads';
import type { LaneContext } from '../sending/laneContext.ts';
import { readEnded, storeCredits } from './activityStore.ts';

/**
 * Reads from the receipts of transactions that ended which days the contract credited. It believes the contract's event alone.
 * @throws RpcUnavailable, RpcRefused
 */
export async function settleReports({ database, rpc, lane, service, log }: LaneContext, signal?: AbortSignal): Promise<void> {
  for (const { batchId, transactionHash } of await readEnded(database, lane.deployment)) {
    const receipt = transactionHash === null ? null : await getReceipt(rpc, transactionHash, signal);
    // An endpoint that lags has no receipt yet of a transaction that another endpoint has confirmed.
    if (transactionHash !== null && receipt === null) continue;
    const credits = readCredits(receipt?.logs ?? [], service);
    const inVain = await storeCredits(database, lane.deployment, batchId, credits);
    if (credits.length > 0) log.info({ batch: batchId, nodes: credits.length }, 'the contract credited the day of nodes');
    if (inVain > 0) log.warn({ batch: batchId, nodes: inVain }, 'a report of daily activity credited no day of some nodes; they are reported again where the contract allows it');
  }
}
