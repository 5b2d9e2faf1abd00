import type { SignedTransaction } from '@vouch/chain/signers/signer';
import { SignerFault } from '@vouch/chain/signers/signerFault';
import { isDue } from '@vouch/platform/process/isDue';
import { composeBatch, judgeQueue } from '../batching/composeBatch.ts';
import { dropClaim, listQueued } from '../batching/claimStore.ts';
import { gasAlone } from '../calls/operationCosts.ts';
import { carryOutOrders } from './carryOutOrders.ts';
import { actOnDecisions, committedWei, giveToNode } from './actOnDecision.ts';
import { listLiveBatches, findNewestBlock, storePrepared } from './batchStore.ts';
import { gapNonces, nextNonce } from './chooseNonces.ts';
import { decideLane } from './decideLane.ts';
import { initialFees } from '@vouch/chain/fees/fees';
import type { LaneContext } from './laneContext.ts';
import type { LaneTransaction } from './laneSigner.ts';
import { writeLane, type Pause } from '../lanes/laneStore.ts';
import type { LiveBatch } from './liveBatch.ts';
import { expireMessages } from './expireMessages.ts';
import { fetchEvidence, type Evidence } from './fetchEvidence.ts';
import { sendFiller } from './sendMaintenanceTransaction.ts';

/** Maximum number of pending transactions per key; geth nodes guarantee 16 per account. */
const maxInFlight = 8;
/** Interval in ms of steps while a transaction is pending. */
const followMs = 300;
/** Interval in ms of reading the queue without a notification. */
const idleMs = 1_000;
/**
 * Interval in ms of reading the chain while idle: a writer must notice that it lost the chain, so that another process can take
 * over.
 */
const lookMs = 3_000;
/**
 * Maximum time in ms before the activity reporter precedes the queue; without a limit, a queue that is never empty would cost
 * nodes their day.
 */
const reporterTurnMs = 15_000;
/** Interval in ms of reading the queue while a window is open, because the batch can become full before the window ends. */
const fillingMs = 100;

/** Pause until the next step; `untilCalled`: a notification ends the pause early. */
export interface Rest {
  milliseconds: number;
  untilCalled: boolean;
}

/**
 * Runs one step of a key's writer: reads the stored state, reads the chain, executes the decisions, then starts a new batch if
 * there is capacity. A step keeps no state of earlier steps, so any step can be the first one after a crash.
 * @throws if database or chain do not answer; the caller runs another step
 */
export async function advanceLane(context: LaneContext, signal?: AbortSignal): Promise<Rest> {
  const { database, lane, limits, isolation, system } = context;
  let batches: readonly LiveBatch[] = await listLiveBatches(database, lane);
  const queue = await listQueued(database, lane, limits.operations);
  const window = judgeQueue(queue, limits, isolation.kind === 'native', system.clock.now());
  if (batches.length === 0 && !window.flush && !isLookDue(context)) {
    return window.waitMs === null ? { milliseconds: idleMs, untilCalled: true } : { milliseconds: Math.min(window.waitMs, fillingMs), untilCalled: false };
  }

  const newestBlock = await findNewestBlock(database, lane);
  const source = { ...context, relayer: lane.relayer, capWei: context.feeCapWei, newestBlock };
  const evidence = await fetchEvidence(source, batches, system.clock.now(), signal);
  const sight = {
    nonce: evidence.nonce, balanceWei: evidence.balanceWei, baseFeeWei: evidence.market.baseFeeWei,
    headNumber: evidence.view.head.number, headTime: evidence.view.head.timestamp,
  };
  const decisions = decideLane(batches, evidence, context.rules);
  await actOnDecisions(context, decisions, evidence, signal);
  await expireMessages(context, evidence, signal);
  if (decisions.some((decision) => decision.do !== 'wait')) batches = await listLiveBatches(database, lane);
  batches = await carryOutOrders(context, batches, evidence, signal);

  const pause = await startNew(context, batches, evidence, window.flush, signal).catch(asPause);
  await writeLane(database, lane, pause === 'sent' ? null : pause, sight, new Date(system.clock.now()));
  context.lastLook.nextMs = system.clock.now() + lookMs;
  const ready = window.flush ? followMs : Math.min(window.waitMs ?? followMs, followMs);
  return { milliseconds: pause === 'sent' ? 0 : ready, untilCalled: false };
}

function asPause(error: unknown): Pause {
  if (error instanceof SignerFault) return { because: 'signer-unavailable', reason: error.message };
  throw error;
}

/**
 * Whether an idle key must read the chain, for the displayed balance and for the activity reporter. Only successful steps postpone
 * the next read; otherwise an outage of one second would stay visible for the whole interval.
 */
function isLookDue({ lastLook, system }: LaneContext): boolean {
  return isDue(lastLook.nextMs, lookMs, system.clock.now());
}

/** Fills nonce gaps, then sends one new batch. Returns `sent`, the reason of a pause, or null if there is nothing to send. */
async function startNew(
  context: LaneContext, batches: readonly LiveBatch[], evidence: Evidence, flush: boolean, signal?: AbortSignal,
): Promise<Pause | 'sent' | null> {
  const { balanceMinWei, feeCapWei, feeCapSetting } = context;
  // A lagging endpoint returns a nonce that is already used. New batches wait; the other decisions tolerate the lag.
  if (evidence.behind && !evidence.setBack) return evidence.staysBehind ? { because: 'chain', reason: describeLag(evidence) } : null;
  const resting = context.signer.resting();
  if (resting !== null) return { because: 'signer-unavailable', reason: resting.message };
  const gaps = gapNonces(evidence.nonce, batches);
  const wanted = flush || gaps.length > 0;
  const fees = initialFees(evidence.market);
  if (fees === null) return wanted ? { because: 'fees', baseFeeWei: evidence.market.baseFeeWei, capWei: feeCapWei, setting: feeCapSetting } : null;
  if (evidence.balanceWei < balanceMinWei) return { because: 'balance', balanceWei: evidence.balanceWei, neededWei: balanceMinWei };
  const headNumber = evidence.view.head.number;
  for (const nonce of gaps) await sendFiller(context, { nonce, fees, headNumber }, signal);
  if (gaps.length > 0) return 'sent';
  if (batches.filter(({ state }) => state !== 'mined').length >= maxInFlight) return null;
  if (flush && !isReportersTurn(context)) return sendNew(context, batches, evidence, signal);
  context.lastLook.reportedMs = context.system.clock.now();
  const own = { nonce: nextNonce(evidence.nonce, batches), fees, headNumber, spareWei: evidence.balanceWei - committedWei(batches) };
  if ((await context.reporter?.report(context, evidence.view.head.timestamp, own, signal)) === true) return 'sent';
  return flush ? sendNew(context, batches, evidence, signal) : null;
}

function describeLag({ view }: Evidence): string {
  return `the newest block of the endpoints, ${view.head.number}, is older than a block with a transaction of the key, or on another branch. The endpoints lag, or the chain was set back and has no newer block yet. ` +
    'New transactions wait until a newer block is known.';
}

/** The activity reporter sends at most one transaction per turn, and usually none, so its turns hardly delay the queue. */
function isReportersTurn({ reporter, lastLook, system }: LaneContext): boolean {
  return reporter !== undefined && isDue(lastLook.reportedMs + reporterTurnMs, reporterTurnMs, system.clock.now());
}

async function sendNew(context: LaneContext, batches: readonly LiveBatch[], evidence: Evidence, signal?: AbortSignal): Promise<Pause | 'sent' | null> {
  const { database, lane, system, log, rpc, service, isolation, limits } = context;
  const target = { rpc, relayer: lane.relayer, block: evidence.view.head.number, service, isolation, gasMax: gasMaxFor(limits.gas, evidence) };
  const composer = { database, lane, target, limits };
  const batchId = `gb_${system.random.bytes(12).toString('base64url')}`;
  const composed = await composeBatch(composer, batchId, {
    now: system.clock.now(), view: evidence.view, finalBlock: evidence.view.head.number - context.rules.confirmations,
  }, signal);
  if (composed === null) return null;
  const { kept, payload, gasLimit } = composed.simulated;
  const fees = initialFees(evidence.market);
  const neededWei = committedWei(batches) + gasLimit * (fees?.maxFeeWei ?? 0n);
  if (fees === null || neededWei > evidence.balanceWei) {
    await dropClaim(database, batchId);
    return { because: 'balance', balanceWei: evidence.balanceWei, neededWei };
  }
  const nonce = nextNonce(evidence.nonce, batches);
  const signed = await signOrDrop(context, batchId, { nonce, payload, gasLimit, fees }, signal);
  const stored = await storePrepared(database, {
    batchId, nonce, payload, gasLimit,
    requestIds: kept.map(({ requestId }) => requestId),
    gasAlone: kept.reduce((sum, { operation }) => sum + gasAlone[operation.kind], 0),
    transaction: { ...signed, fees, cancels: false, headNumber: evidence.view.head.number, at: new Date(system.clock.now()) },
  });
  if (!stored) {
    await dropClaim(database, batchId);
    return null;
  }
  log.info({ batch: batchId, nonce, operations: kept.length, transaction: signed.hash }, 'batch sent');
  await giveToNode(context, batchId, signed, signal);
  return 'sent';
}

/** Signs a transaction. Without a signature, the messages return to the queue, where another key can take them. */
async function signOrDrop({ database, signer }: LaneContext, batchId: string, transaction: LaneTransaction, signal?: AbortSignal): Promise<SignedTransaction> {
  try {
    return await signer.sign(transaction, signal);
  } catch (error) {
    await dropClaim(database, batchId);
    throw error;
  }
}

/** Limits a batch to 60 % of the block gas limit, because a transaction that needs a whole block waits for an empty block. */
function gasMaxFor(gas: number, { view }: Evidence): number {
  return Math.min(gas, Math.floor(Number(view.head.gasLimit) * 0.6));
}
