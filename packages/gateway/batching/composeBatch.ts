import type { Transactor } from '@vouch/platform/database/database';
import { findEnding, type Ending } from '../calls/findEnding.ts';
import { encodeAlone } from '../calls/arrangeCalls.ts';
import {
  areTransactionsUnderWay, claimRequests, dropClaim, endRequests, readNewestMined, releaseRequests, type QueuedRequest,
} from './claimStore.ts';
import { maxCalldataBytes, decideFlush, type FlushDecision, type QueueSummary, type WindowLimits } from './flushWindow.ts';
import { plannedBytes, plannedGas } from '../calls/operationCosts.ts';
import { simulateBatch, type SimulatedBatch, type SimulationTarget } from './simulateBatch.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';

export interface Composer {
  database: Transactor;
  lane: RelayerLane;
  target: SimulationTarget;
  limits: WindowLimits;
}

/** A batch that was claimed and simulated, with its operations in the order of its transaction. */
export interface ComposedBatch {
  batchId: string;
  simulated: SimulatedBatch & { payload: NonNullable<SimulatedBatch['payload']> };
}

/**
 * Takes what waits, simulates it, and ends what would fail. Null where nothing is left to be sent. Should the process die at any
 * moment, the claim is dropped by the next writer of the key and its requests wait again.
 * @throws where the chain cannot be asked; then everything is back in the queue
 */
export async function composeBatch(
  composer: Composer, batchId: string, times: { now: number; headTime: number }, signal?: AbortSignal,
): Promise<ComposedBatch | null> {
  const { database, lane, target, limits } = composer;
  const at = new Date(times.now);
  const choose = (queue: readonly QueuedRequest[]): number => {
    const fitting = fittingCount(queue, limits, target.isolation.kind === 'native');
    return decideFlush(summarize(queue, fitting, limits), limits, times.now).flush ? fitting : 0;
  };
  const claimed = await claimRequests(database, lane, { batchId, limit: limits.operations, at, choose });
  if (claimed.length === 0) return null;
  try {
    const simulated = await simulateBatch(target, claimed, signal);
    await settleRefused(composer, batchId, simulated, claimed, { at, headTime: simulated.blockTime ?? times.headTime });
    await releaseRequests(database, batchId, simulated.cut.map(({ requestId }) => requestId), null);
    if (simulated.payload !== null) return { batchId, simulated: { ...simulated, payload: simulated.payload } };
    await dropClaim(database, batchId);
    return null;
  } catch (error) {
    await endRequests(database, batchId, claimed.flatMap((each) => brokenEnding(each) ?? []), at);
    await dropClaim(database, batchId);
    throw error;
  }
}

/** The end of a message that no transaction can carry: it would hold up whatever comes after it. Null where one can. */
function brokenEnding(request: QueuedRequest): Ending | null {
  try {
    encodeAlone(request);
    return null;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    return { requestId: request.requestId, state: 'failed', code: 'contract-refused', reason: `No transaction can carry the message: ${reason ?? ''}` };
  }
}

/** What the window says of the queue at this moment. */
export function judgeQueue(queue: readonly QueuedRequest[], limits: WindowLimits, isolates: boolean, now: number): FlushDecision {
  return decideFlush(summarize(queue, fittingCount(queue, limits, isolates), limits), limits, now);
}

/** How many of the first requests fit into one transaction, at least one. */
function fittingCount(queue: readonly QueuedRequest[], limits: WindowLimits, isolates: boolean): number {
  let gas = 0;
  let bytes = 0;
  const beyond = queue.findIndex(({ operation: { kind } }, place) => {
    gas += plannedGas(kind, isolates);
    bytes += plannedBytes[kind];
    return place > 0 && (gas > limits.gas || bytes > maxCalldataBytes || place >= limits.operations);
  });
  return beyond === -1 ? queue.length : beyond;
}

function summarize(queue: readonly QueuedRequest[], fitting: number, limits: WindowLimits): QueueSummary {
  // What does not fit waits behind a batch that is full.
  const operations = fitting < queue.length ? limits.operations : fitting;
  const oldest = Math.min(...queue.map(({ verifiedMs }) => verifiedMs));
  const deadline = Math.min(...queue.map(({ deadlineMs }) => deadlineMs));
  return queue.length === 0
    ? { operations: 0, gas: 0, calldataBytes: 0, oldestMs: null, deadlineMs: null }
    : { operations, gas: 0, calldataBytes: 0, oldestMs: oldest, deadlineMs: deadline };
}

/**
 * Ends what would fail. What may only need transactions that are still on their way waits for those once; what was judged by an older state
 * than the one it was accepted for, or than the one that transactions of any key have made since, waits for a newer block.
 */
async function settleRefused(
  { database, lane, target }: Composer, batchId: string, { refused }: SimulatedBatch, claimed: readonly QueuedRequest[],
  { at, headTime }: { at: Date; headTime: number },
): Promise<void> {
  if (refused.length === 0) return;
  const queued = new Map(claimed.map((request) => [request.requestId, request]));
  const newestMined = await readNewestMined(database, lane.deployment);
  const early = refused.filter(({ signed }) => target.block < Math.max(newestMined, queued.get(signed.requestId)?.verifiedBlock ?? 0));
  await releaseRequests(database, batchId, early.map(({ signed }) => signed.requestId), null);
  const underWay = await areTransactionsUnderWay(database, lane.deployment);
  const waiting = refused.filter((each) => !early.includes(each) && underWay && queued.get(each.signed.requestId)?.simulatedMs === null);
  await releaseRequests(database, batchId, waiting.map(({ signed }) => signed.requestId), at);
  const endings: Ending[] = [];
  for (const each of refused) {
    if (early.includes(each) || waiting.includes(each)) continue;
    endings.push(await findEnding(target.rpc, target.service, each.signed, each.said, headTime));
  }
  await endRequests(database, batchId, endings, at);
}
