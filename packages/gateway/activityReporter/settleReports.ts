import { decodeCredits } from '@vouch/chain/contracts/service/dayViews';
import { getReceipt } from '@vouch/chain/rpc/chainReads';
import type { LaneContext } from '../sending/laneContext.ts';
import { listEndedReports, storeCredits } from './activityStore.ts';

/**
 * Reads the credited days from the receipts of ended batches. Only the contract's event counts as a credit.
 * @throws RpcUnavailable, RpcRefused
 */
export async function settleReports({ database, rpc, lane, service, log }: LaneContext, signal?: AbortSignal): Promise<void> {
  for (const { batchId, transactionHash } of await listEndedReports(database, lane.deployment)) {
    const receipt = transactionHash === null ? null : await getReceipt(rpc, transactionHash, signal);
    // A lagging endpoint may not have the receipt of a confirmed transaction yet; the next call retries.
    if (transactionHash !== null && receipt === null) continue;
    const credits = decodeCredits(receipt?.logs ?? [], service);
    const inVain = await storeCredits(database, lane.deployment, batchId, credits);
    if (credits.length > 0) log.info({ batch: batchId, nodes: credits.length }, 'the contract credited a day to nodes');
    if (inVain > 0) log.warn({ batch: batchId, nodes: inVain }, 'a report of daily activity did not credit the day of some nodes; the gateway reports them again if the contract allows it');
  }
}
