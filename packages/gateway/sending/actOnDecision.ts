import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock, type Block, type Receipt } from '@vouch/chain/rpc/chainReads';
import { RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import { SignerFault } from '@vouch/chain/signers/signerFault';
import { LeaseLost } from '@vouch/platform/lease/lease';
import { Problem } from '@vouch/platform/errors/problem';
import { arrangeCalls } from '../calls/arrangeCalls.ts';
import { gasAlone, plannedGas } from '../calls/operationCosts.ts';
import { blockAt } from './confirming/chainView.ts';
import { findEnding, type Ending } from '../calls/findEnding.ts';
import { decodeOutcomes } from '../calls/decodeOutcomes.ts';
import { listMembers, listRefused, storeConfirmed, storeMined, storeReturned } from './confirming/receiptStore.ts';
import { shareGas } from './confirming/shareGas.ts';
import { abandonBatch, noteBroadcast, noteRefusal, loadPayload, storeReplacement } from './batchStore.ts';
import { broadcast } from '@vouch/chain/rpc/broadcast';
import type { Decision, LaneEvidence } from './decideLane.ts';
import type { LaneContext } from './laneContext.ts';
import type { Attempt, LiveBatch, MinedBatch, WaitingBatch } from './liveBatch.ts';

/** Gas of a transfer of 0 ETH to the relayer's own address, the cheapest transaction that uses a nonce. */
export const emptyTransferGas = 21_000n;

/**
 * Executes decisions in sequence. A failure that concerns one batch is logged and does not stop the other batches; the next step
 * retries the batch.
 * @throws RpcUnavailable, Problem or LeaseLost if the chain, the database or the lease is lost
 */
export async function actOnDecisions(context: LaneContext, decisions: readonly Decision[], evidence: LaneEvidence, signal?: AbortSignal): Promise<void> {
  for (const decision of decisions) {
    try {
      await actOnDecision(context, decision, evidence, signal);
    } catch (error) {
      if (error instanceof RpcUnavailable || error instanceof Problem || error instanceof LeaseLost || signal?.aborted === true) throw error;
      if (error instanceof SignerFault) {
        context.log.warn({ reason: error.message, batch: decision.batch.batchId, decision: decision.do }, 'a transaction could not be signed; the gateway retries');
        continue;
      }
      context.log.error({ err: error, batch: decision.batch.batchId, decision: decision.do }, 'the next step of a batch failed');
    }
  }
}

/** Executes one decision. Each decision is durable when it returns and can be repeated safely after a crash. */
async function actOnDecision(context: LaneContext, decision: Decision, evidence: LaneEvidence, signal?: AbortSignal): Promise<void> {
  const { database, log, system } = context;
  const { batch } = decision;
  const about = { batch: batch.batchId, nonce: batch.nonce };
  const at = (): Date => new Date(system.clock.now());
  switch (decision.do) {
    case 'wait':
      return;
    case 'broadcast':
      return giveToNode(context, batch.batchId, decision.attempt, signal);
    case 'replace':
      return replace(context, decision, evidence, signal);
    case 'mined':
      return recordMined(context, batch, decision.receipt, evidence, signal);
    case 'return':
      log.warn(about, 'a reorganization removed the block of a batch; the batch is sent again');
      return storeReturned(database, batch.batchId);
    case 'confirm':
      return confirm(context, decision.batch, evidence);
    case 'abandon':
      log.warn({ ...about, reason: decision.reason }, 'a batch can no longer be mined; its operations return to the queue');
      return abandonBatch(database, batch.batchId, { ...decision, time: await timeOf(context, decision.block.hash, evidence, signal), at: at() });
  }
}

/** Broadcasts a stored transaction, after the broadcast was recorded. */
export async function giveToNode(
  { database, system, log, rpc }: LaneContext, batchId: string, { hash, raw }: Pick<Attempt, 'hash' | 'raw'>, signal?: AbortSignal,
): Promise<void> {
  await noteBroadcast(database, batchId, hash, new Date(system.clock.now()));
  // If the lease ends after this check, the broadcast only repeats the bytes of a stored transaction.
  database.assertHeld();
  const answer = await broadcast(rpc, raw, signal);
  if (answer.kind !== 'taken') log.warn({ batch: batchId, transaction: hash, said: answer.said, kind: answer.kind }, 'an RPC endpoint rejected a transaction');
  await noteRefusal(database, hash, answer.kind === 'unsendable' ? answer.said : null);
}

async function replace(
  context: LaneContext, decision: Extract<Decision, { do: 'replace' }>, evidence: LaneEvidence, signal?: AbortSignal,
): Promise<void> {
  const { database, signer, system, log, lane } = context;
  const { batch, fees, cancels } = decision;
  // The earlier attempt stays valid meanwhile; a replacement follows once the signer works again.
  if (signer.resting() !== null) return;
  const payload = cancels ? { to: lane.relayer, calldata: '0x' as const } : await loadPayload(database, batch.batchId);
  const gasLimit = cancels ? emptyTransferGas : batch.gasLimit;
  const signed = await signer.sign({ nonce: batch.nonce, payload, gasLimit, fees }, signal);
  const at = new Date(system.clock.now());
  const stored = await storeReplacement(database, batch.batchId, { ...signed, fees, cancels, headNumber: evidence.view.head.number, at });
  if (!stored) return;
  log.info({ batch: batch.batchId, nonce: batch.nonce, cancels, max_fee_wei: String(fees.maxFeeWei) }, 'a transaction is replaced by one with a higher fee');
  await giveToNode(context, batch.batchId, signed, signal);
}

async function recordMined(context: LaneContext, batch: LiveBatch, receipt: Receipt, evidence: LaneEvidence, signal?: AbortSignal): Promise<void> {
  const { database, service, isolation, system, log } = context;
  const operations = await listMembers(database, batch.batchId);
  const isolates = isolation.kind === 'native';
  const blockTime = await timeOf(context, receipt.blockHash, evidence, signal);
  const outcomes = decodeOutcomes(operations, arrangeCalls(operations), receipt.logs, { service, isolates, time: blockTime.getTime() / 1_000 });
  const gasShares = shareGas(receipt.gasUsed, operations.map(({ operation }) => plannedGas(operation.kind, isolates)));
  const took = operations.filter((_, place) => outcomes[place]?.applied === true);
  const alone = took.reduce((sum, { operation }) => sum + gasAlone[operation.kind], 0);
  await storeMined(database, batch.batchId, { receipt, blockTime, outcomes, gasShares, gasAlone: alone, at: new Date(system.clock.now()) });
  const refused = operations.length - took.length;
  log.info({ batch: batch.batchId, nonce: batch.nonce, block: receipt.blockNumber, operations: operations.length, refused }, 'batch mined');
}

/** A request refused without a reason returns to the queue; after this many transactions the refusal is final. */
const maxRefusals = 3;
const overtakenReason = 'The contract rejected the message without a reason, and a later message of the signer took its place in the order. Sign a new message if the change is still needed.';

async function confirm({ database, rpc, service, log, system }: LaneContext, { batchId, nonce, block }: MinedBatch, { view }: LaneEvidence): Promise<void> {
  const chainTime = blockAt(view, block.number)?.timestamp ?? view.head.timestamp;
  const refused = await listRefused(database, batchId);
  const final = refused.filter(({ said, refusals, overtaken }) => said !== null || overtaken || refusals >= maxRefusals);
  const endings = await Promise.all(final.map(async ({ signed, said, overtaken }): Promise<Ending> => (said === null && overtaken
    ? { requestId: signed.requestId, state: 'failed', code: 'contract-refused', reason: overtakenReason }
    : findEnding(rpc, service, signed, said, { block: view.head.number, chainTime }))));
  await storeConfirmed(database, batchId, endings, new Date(system.clock.now()));
  log.info({ batch: batchId, nonce, refused: refused.length }, 'batch confirmed');
}

async function timeOf({ rpc }: LaneContext, blockHash: Hex, { view }: LaneEvidence, signal?: AbortSignal): Promise<Date> {
  const block: Block | null = view.blocks.find(({ hash }) => hash === blockHash) ?? (await getBlock(rpc, blockHash, signal));
  if (block === null) throw new Error(`block ${blockHash} was not found`);
  return new Date(block.timestamp * 1_000);
}

/** Maximum cost in wei of the batches that are not mined yet. */
export function committedWei(batches: readonly LiveBatch[]): bigint {
  return batches
    .filter((batch): batch is WaitingBatch => batch.state !== 'mined')
    .reduce((sum, { gasLimit, attempts }) => sum + gasLimit * (attempts.at(-1)?.fees.maxFeeWei ?? 0n), 0n);
}
