import type { Hex } from '@vouch/chain/messages/operation';
import type { Transactor } from '@vouch/platform/database/database';
import { findEnding, type Ending, type RefusedAt } from '../calls/findEnding.ts';
import { encodeAlone, type SignedOperation } from '../calls/arrangeCalls.ts';
import {
  areTransactionsUnderWay, claimRequests, dropClaim, endRequests, findNewestMined, releaseRequests, type QueuedRequest,
} from './claimStore.ts';
import { maxCalldataBytes, decideFlush, type FlushDecision, type QueueSummary, type WindowLimits } from './flushWindow.ts';
import { plannedBytes, plannedGas } from '../calls/operationCosts.ts';
import { countUnambiguous } from './countUnambiguous.ts';
import { findLeftBatches } from './findLeftBatches.ts';
import { findUnchanged } from './findUnchanged.ts';
import { dropHolds, holdRequests, type FollowedChain } from './holdStore.ts';
import { isFinalHold } from './isFinalHold.ts';
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
 * Claims queued requests, simulates them and ends requests that would fail or change nothing. Requests that wait return to the queue with those that follow them; the rest
 * is then simulated again. Returns null if no request remains. If the process dies
 * meanwhile, the key's next writer drops the claim and the requests return to the queue.
 * @throws if the chain does not answer; all requests are back in the queue then
 */
export async function composeBatch(
  composer: Composer, batchId: string, { now, view, finalBlock }: FollowedChain & { now: number }, signal?: AbortSignal,
): Promise<ComposedBatch | null> {
  const { database, lane, target, limits } = composer;
  const at = new Date(now);
  const chain = { view, finalBlock, left: await findLeftBatches(database, target.rpc, lane, view, at, signal) };
  const choose = (queue: readonly QueuedRequest[]): number => {
    const fitting = fittingCount(queue, limits, target.isolation.kind === 'native');
    return decideFlush(summarize(queue, fitting, limits), limits, now).flush ? fitting : 0;
  };
  const claimed = await claimRequests(database, lane, { batchId, limit: limits.operations, at, chain, choose });
  if (claimed.length === 0) return null;
  try {
    for (let rest = claimed; rest.length > 0;) {
      const unchanged = await findUnchanged(target, rest, signal);
      const simulated = await simulateBatch(target, rest.filter(({ requestId }) => !unchanged.has(requestId)), signal);
      const where = { block: target.block, chainTime: simulated.blockTime ?? chain.view.head.timestamp };
      const judged = [
        ...[...unchanged.values()].map((ending): Judged => ({ requestId: ending.requestId, find: async () => ending })),
        ...simulated.refused.map((refused): Judged => ({ requestId: refused.signed.requestId, find: () => findEndingAlone(target, refused, rest[0]!.requestId, where, signal) })),
      ];
      const postponed = await settle(composer, batchId, judged, rest, { at, chain }, signal);
      await releaseRequests(database, batchId, simulated.cut.map(({ requestId }) => requestId), null);
      const followers = followersOf(postponed, simulated.kept, claimed);
      if (followers.size === 0 && simulated.payload !== null) {
        await dropHolds(database, rest.filter(({ requestId, held, mayBeUnchanged }) => (held !== null || mayBeUnchanged) && simulated.kept.some((kept) => kept.requestId === requestId)).map(({ requestId }) => requestId));
        return { batchId, simulated: { ...simulated, payload: simulated.payload } };
      }
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
  const fitting = beyond === -1 ? queue.length : beyond;
  return isolates ? fitting : Math.min(fitting, countUnambiguous(queue));
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

/** A request that ends without a transaction if the block that decides on it is final. */
interface Judged {
  requestId: string;
  /** Returns the ending in the state of the block; null if only an earlier message of the batch stands in the way. */
  find(): Promise<Ending | null>;
}

/** The ending of a refused request in the state of the block, without the earlier messages of its batch; null if the request would succeed then. */
async function findEndingAlone(target: SimulationTarget, { signed, said }: Refused, first: string, where: RefusedAt, signal?: AbortSignal): Promise<Ending | null> {
  const alone = signed.requestId === first ? { said } : (await simulateBatch(target, [signed], signal)).refused[0];
  return alone === undefined ? null : findEnding(target.rpc, target.service, signed, alone.said, where);
}

/**
 * Ends requests that would fail or change nothing, except four groups. Requests judged at an older block than the one at their acceptance, or than
 * the newest block with a transaction of any key, wait for a newer block. Requests that may depend on pending transactions wait for
 * those once. Requests that would fail only after an earlier message of their batch wait for the transaction of the batch, which may never be final. The
 * others wait until the block is final, because a reorganization can remove the transaction that decided on them; only a deadline that has passed needs
 * no final block.
 * @returns the requests that wait
 */
async function settle(
  { database, lane, target }: Composer, batchId: string, judged: readonly Judged[], claimed: readonly QueuedRequest[],
  { at, chain }: { at: Date; chain: FollowedChain }, signal?: AbortSignal,
): Promise<Postponed> {
  if (judged.length === 0) return new Map();
  const queued = new Map(claimed.map((request) => [request.requestId, request]));
  const newestMined = await findNewestMined(database, lane.deployment);
  const early = judged.filter(({ requestId }) => target.block < Math.max(newestMined, queued.get(requestId)?.verifiedBlock ?? 0));
  const underWay = await areTransactionsUnderWay(database, lane.deployment);
  const waiting = judged.filter((each) => !early.includes(each) && underWay && queued.get(each.requestId)?.simulatedMs === null);
  const postponed = new Map<string, Date | null>([...early.map(({ requestId }) => [requestId, null] as const), ...waiting.map(({ requestId }) => [requestId, at] as const)]);
  const endings: Ending[] = [];
  const held: { requestId: string; code: string }[] = [];
  for (const { requestId, find } of judged) {
    if (postponed.has(requestId)) continue;
    const ending = await find();
    if (ending === null) {
      postponed.set(requestId, at);
      continue;
    }
    const isFinal = ending.state === 'expired' || target.block <= chain.finalBlock || (await isFinalHold(target.rpc, chain, queued.get(requestId)?.held ?? null, ending.code, signal));
    if (isFinal) endings.push(ending);
    else held.push({ requestId, code: ending.code });
  }
  await releaseAll(database, batchId, postponed);
  await holdRequests(database, batchId, held, chain.view.head);
  await endRequests(database, batchId, endings, at);
  return new Map([...postponed, ...held.map(({ requestId }) => [requestId, null] as const)]);
}
