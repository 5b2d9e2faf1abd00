import type { Hex } from '@vouch/chain/messages/operation';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';
import type { Transactor } from '@vouch/platform/database/database';
import { findEnding, type Ending } from '../calls/findEnding.ts';
import { encodeAlone, type SignedOperation } from '../calls/arrangeCalls.ts';
import { explainRevert } from '../calls/explainRevert.ts';
import {
  areTransactionsUnderWay, claimRequests, dropClaim, endRequests, findNewestMined, releaseRequests, type QueuedRequest,
} from './claimStore.ts';
import { maxCalldataBytes, decideFlush, type FlushDecision, type QueueSummary, type WindowLimits } from './flushWindow.ts';
import { plannedBytes, plannedGas } from '../calls/operationCosts.ts';
import { callAlone } from './simulate.ts';
import { simulateBatch, type Refused, type SimulatedBatch, type SimulationTarget } from './simulateBatch.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';

/** Dependencies of `composeBatch`. */
export interface Composer {
  database: Transactor;
  lane: RelayerLane;
  target: SimulationTarget;
  limits: WindowLimits;
}

/** A claimed and simulated batch; its operations are in the order of the transaction. */
export interface ComposedBatch {
  batchId: string;
  simulated: SimulatedBatch & { payload: NonNullable<SimulatedBatch['payload']> };
}

/**
 * Claims queued requests, simulates them and ends requests that would fail. Requests that wait return to the queue with those that follow them; the rest
 * is then simulated again. Returns null if no request remains. If the process dies
 * meanwhile, the key's next writer drops the claim and the requests return to the queue.
 * @throws if the chain does not answer; all requests are back in the queue then
 */
export async function composeBatch(
  composer: Composer, batchId: string, chain: { now: number; headTime: number; finalBlock: number }, signal?: AbortSignal,
): Promise<ComposedBatch | null> {
  const { database, lane, target, limits } = composer;
  const { now, headTime, finalBlock } = chain;
  const at = new Date(now);
  const choose = (queue: readonly QueuedRequest[]): number => {
    const fitting = fittingCount(queue, limits, target.isolation.kind === 'native');
    return decideFlush(summarize(queue, fitting, limits), limits, now).flush ? fitting : 0;
  };
  const claimed = await claimRequests(database, lane, { batchId, limit: limits.operations, at, finalBlock, choose });
  if (claimed.length === 0) return null;
  try {
    for (let rest = claimed; rest.length > 0;) {
      const simulated = await simulateBatch(target, rest, signal);
      const postponed = await settleRefused(composer, batchId, simulated, rest, { at, headTime: simulated.blockTime ?? headTime, finalBlock }, signal);
      await releaseRequests(database, batchId, simulated.cut.map(({ requestId }) => requestId), null);
      const followers = followersOf(postponed, simulated.kept, claimed);
      if (followers.size === 0 && simulated.payload !== null) return { batchId, simulated: { ...simulated, payload: simulated.payload } };
      await releaseAll(database, batchId, followers);
      const kept = new Set(simulated.kept.map(({ requestId }) => requestId));
      rest = rest.filter(({ requestId }) => kept.has(requestId) && !followers.has(requestId));
    }
    await dropClaim(database, batchId);
    return null;
  } catch (error) {
    await endRequests(database, batchId, claimed.flatMap((each) => brokenEnding(each) ?? []), at);
    await dropClaim(database, batchId);
    throw error;
  }
}

/** Requests that return to the queue, by id. With a time, they wait for the transactions that were pending then; with null, for the next batch. */
type Postponed = ReadonlyMap<string, Date | null>;

/**
 * The kept requests that follow a postponed request of their signer. These requests wait in the same way: sent before the postponed request, they would
 * meet another state than their signer meant.
 */
function followersOf(postponed: Postponed, kept: readonly SignedOperation[], claimed: readonly QueuedRequest[]): Postponed {
  if (postponed.size === 0) return postponed;
  const keptIds = new Set(kept.map(({ requestId }) => requestId));
  const signers = new Map<Hex, Date | null>();
  const followers = new Map<string, Date | null>();
  for (const { requestId, signer } of claimed) {
    const own = postponed.get(requestId);
    const before = signers.get(signer);
    if (own !== undefined) signers.set(signer, before ?? own);
    else if (before !== undefined && keptIds.has(requestId)) followers.set(requestId, before);
  }
  return followers;
}

async function releaseAll(database: Transactor, batchId: string, postponed: Postponed): Promise<void> {
  for (const time of new Set(postponed.values())) {
    await releaseRequests(database, batchId, [...postponed].filter(([, each]) => each === time).map(([id]) => id), time);
  }
}

/**
 * The ending of a message that cannot be encoded as a call and would otherwise block the queue; null if the message can be
 * encoded.
 */
function brokenEnding(request: QueuedRequest): Ending | null {
  try {
    encodeAlone(request);
    return null;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    return { requestId: request.requestId, state: 'failed', code: 'contract-refused', reason: `No transaction can carry the message: ${reason ?? ''}` };
  }
}

/** Whether the queue should be flushed now. */
export function judgeQueue(queue: readonly QueuedRequest[], limits: WindowLimits, isolates: boolean, now: number): FlushDecision {
  return decideFlush(summarize(queue, fittingCount(queue, limits, isolates), limits), limits, now);
}

/** Number of leading requests that fit into one transaction, at least one. */
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
  // If requests do not fit, the batch is full.
  const operations = fitting < queue.length ? limits.operations : fitting;
  const oldest = Math.min(...queue.map(({ verifiedMs }) => verifiedMs));
  const deadline = Math.min(...queue.map(({ deadlineMs }) => deadlineMs));
  return queue.length === 0
    ? { operations: 0, gas: 0, calldataBytes: 0, oldestMs: null, deadlineMs: null }
    : { operations, gas: 0, calldataBytes: 0, oldestMs: oldest, deadlineMs: deadline };
}

/**
 * Ends requests that would fail, except three groups. Requests judged at an older block than the one at their acceptance, or than the
 * newest block with a transaction of any key, wait for a newer block. Requests that may depend on pending transactions wait for
 * those once. Requests that took effect in a transaction of another sender wait until its block is final, because a reorganization can remove the
 * transaction.
 * @returns the requests that wait
 */
async function settleRefused(
  { database, lane, target }: Composer, batchId: string, { refused }: SimulatedBatch, claimed: readonly QueuedRequest[],
  { at, headTime, finalBlock }: { at: Date; headTime: number; finalBlock: number }, signal?: AbortSignal,
): Promise<Postponed> {
  if (refused.length === 0) return new Map();
  const queued = new Map(claimed.map((request) => [request.requestId, request]));
  const newestMined = await findNewestMined(database, lane.deployment);
  const early = refused.filter(({ signed }) => target.block < Math.max(newestMined, queued.get(signed.requestId)?.verifiedBlock ?? 0));
  const underWay = await areTransactionsUnderWay(database, lane.deployment);
  const waiting = refused.filter((each) => !early.includes(each) && underWay && queued.get(each.signed.requestId)?.simulatedMs === null);
  const postponed = new Map<string, Date | null>([...early.map(({ signed }) => [signed.requestId, null] as const), ...waiting.map(({ signed }) => [signed.requestId, at] as const)]);
  const endings: Ending[] = [];
  for (const each of refused) {
    if (postponed.has(each.signed.requestId)) continue;
    const ending = await findEnding(target.rpc, target.service, each.signed, each.said, headTime);
    if (ending.state !== 'confirmed' || (await isRefusedAlike(target, each, finalBlock, signal))) endings.push(ending);
    else postponed.set(each.signed.requestId, null);
  }
  await releaseAll(database, batchId, postponed);
  await endRequests(database, batchId, endings, at);
  return postponed;
}

/** Whether the contract refuses an operation for the same reason in the state of a final block; false if the endpoint no longer has that state. */
async function isRefusedAlike({ rpc, relayer, service }: SimulationTarget, { signed, said }: Refused, finalBlock: number, signal?: AbortSignal): Promise<boolean> {
  try {
    const [data] = await callAlone(rpc, { from: relayer, block: Math.max(finalBlock, 0) }, [{ to: service, calldata: encodeAlone(signed) }], signal);
    return data !== null && data !== undefined && explainRevert(data) === said;
  } catch (error) {
    if (error instanceof RpcRefused) return false;
    throw error;
  }
}
