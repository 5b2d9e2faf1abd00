import type { SignedTransaction } from '@vouch/chain/signers/signer';
import { SignerFault } from '@vouch/chain/signers/signerFault';
import { composeBatch, judgeQueue } from '../batching/composeBatch.ts';
import { dropClaim, expireRequests, readQueue } from '../batching/claimStore.ts';
import { gasAlone } from '../calls/operationCosts.ts';
import { settledBlock } from '../confirming/chainView.ts';
import { carryOutOrders } from './carryOutOrders.ts';
import { actOnDecisions, committedWei, giveToNode } from './actOnDecision.ts';
import { readLiveBatches, readNewestBlock, storePrepared } from './batchStore.ts';
import { gapNonces, nextNonce } from './chooseNonces.ts';
import { decideLane } from './decideLane.ts';
import { initialFees } from '@vouch/chain/fees/fees';
import type { LaneContext } from './laneContext.ts';
import type { LaneTransaction } from './laneSigner.ts';
import { writeLane, type Pause } from '../lanes/laneStore.ts';
import type { LiveBatch } from './liveBatch.ts';
import { readEvidence, type Evidence } from './readEvidence.ts';
import { sendFiller } from './sendMaintenanceTransaction.ts';

/** Transactions of one key on their way at the same time; nodes keep 16 of one account for sure. */
const maxInFlight = 8;
/** The chain is looked at this often while something is on its way. */
const followMs = 300;
/** The queue is looked at this often although nobody called. */
const idleMs = 1_000;
/** And the chain this often although there is nothing to do: a writer that is cut off from the chain has to notice, so that another process takes over. */
const lookMs = 3_000;
/** At the latest after this time the keeper goes before the queue, or a queue that never empties would cost nodes their day. */
const reporterTurnMs = 15_000;
/** And this often while it fills, since it may be full before the window ends. */
const fillingMs = 100;

/** How long nothing has to be done; `untilCalled`: unless somebody calls that there is something new. */
export interface Rest {
  milliseconds: number;
  untilCalled: boolean;
}

/**
 * One step of the writer of a key: read what is stored, ask the chain, carry out what follows from both, then start a new batch
 * where there is room. All that it knows it has just read, so any step may be the first one after a crash.
 * @throws where database or chain cannot be asked; the next step begins anew
 */
export async function advanceLane(context: LaneContext, signal?: AbortSignal): Promise<Rest> {
  const { database, lane, limits, isolation, doors } = context;
  let batches: readonly LiveBatch[] = await readLiveBatches(database, lane);
  const queue = await readQueue(database, lane.deployment, limits.operations);
  const window = judgeQueue(queue, limits, isolation.kind === 'native', doors.clock.now());
  if (batches.length === 0 && !window.flush && !isLookDue(context)) {
    return window.waitMs === null ? { milliseconds: idleMs, untilCalled: true } : { milliseconds: Math.min(window.waitMs, fillingMs), untilCalled: false };
  }

  const newestBlock = await readNewestBlock(database, lane);
  const source = { ...context, relayer: lane.relayer, capWei: context.feeCapWei, newestBlock };
  const evidence = await readEvidence(source, batches, doors.clock.now(), signal);
  const sight = {
    nonce: evidence.nonce, balanceWei: evidence.balanceWei, baseFeeWei: evidence.market.baseFeeWei,
    headNumber: evidence.view.head.number, headTime: evidence.view.head.timestamp,
  };
  const decisions = decideLane(batches, evidence, context.rules);
  await actOnDecisions(context, decisions, evidence, signal);
  await expire(context, evidence);
  if (decisions.some((decision) => decision.do !== 'wait')) batches = await readLiveBatches(database, lane);
  batches = await carryOutOrders(context, batches, evidence, signal);

  const pause = await startNew(context, batches, evidence, window.flush, signal).catch(asPause);
  await writeLane(database, lane, pause === 'sent' ? null : pause, sight, new Date(doors.clock.now()));
  context.lastLook.nextMs = doors.clock.now() + lookMs;
  const ready = window.flush ? followMs : Math.min(window.waitMs ?? followMs, followMs);
  return { milliseconds: pause === 'sent' ? 0 : ready, untilCalled: false };
}

function asPause(error: unknown): Pause {
  if (error instanceof SignerFault) return { because: 'signer-unavailable', reason: error.message };
  throw error;
}

/**
 * With nothing to do the chain is still looked at now and then: for the balance that people see, and for the keeper. A look that
 * failed is not one: it is tried again with the next step, or an outage of a second would show for all of the interval.
 */
function isLookDue({ lastLook, doors }: LaneContext): boolean {
  return doors.clock.now() >= lastLook.nextMs;
}

async function expire({ database, lane, rules, doors, log }: LaneContext, { view }: Evidence): Promise<void> {
  const settled = settledBlock(view, rules.confirmations + 1);
  const expired = await expireRequests(database, lane, {
    head: new Date(view.head.timestamp * 1_000),
    settled: settled === undefined ? null : new Date(settled.timestamp * 1_000),
    at: new Date(doors.clock.now()),
  });
  if (expired > 0) log.warn({ expired }, 'requests expired before they took effect');
}

/** Fills gaps below what waits, and sends one new batch; otherwise why not, or null where there is simply nothing to do. */
async function startNew(
  context: LaneContext, batches: readonly LiveBatch[], evidence: Evidence, flush: boolean, signal?: AbortSignal,
): Promise<Pause | 'sent' | null> {
  const { balanceMinWei, feeCapWei, feeCapSetting } = context;
  // A backend that lags would give a nonce a second time. It is only waited for, since the other decisions allow for it.
  if (evidence.behind && !evidence.setBack) return null;
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
  context.lastLook.reportedMs = context.doors.clock.now();
  const own = { nonce: nextNonce(evidence.nonce, batches), fees, headNumber, spareWei: evidence.balanceWei - committedWei(batches) };
  if ((await context.reporter?.report(context, evidence.view.head.timestamp, own, signal)) === true) return 'sent';
  return flush ? sendNew(context, batches, evidence, signal) : null;
}

/** A turn is one transaction at most, so that the queue loses little by it; most turns send nothing. */
function isReportersTurn({ reporter, lastLook, doors }: LaneContext): boolean {
  return reporter !== undefined && doors.clock.now() - lastLook.reportedMs >= reporterTurnMs;
}

async function sendNew(context: LaneContext, batches: readonly LiveBatch[], evidence: Evidence, signal?: AbortSignal): Promise<Pause | 'sent' | null> {
  const { database, lane, doors, log, rpc, service, isolation, limits } = context;
  const target = { rpc, relayer: lane.relayer, block: evidence.view.head.number, service, isolation, gasMax: gasMaxFor(limits.gas, evidence) };
  const composer = { database, lane, target, limits };
  const batchId = `gb_${doors.random.bytes(12).toString('base64url')}`;
  const composed = await composeBatch(composer, batchId, { now: doors.clock.now(), headTime: evidence.view.head.timestamp }, signal);
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
    transaction: { ...signed, fees, cancels: false, headNumber: evidence.view.head.number, at: new Date(doors.clock.now()) },
  });
  if (!stored) {
    await dropClaim(database, batchId);
    return null;
  }
  log.info({ batch: batchId, nonce, operations: kept.length, transaction: signed.hash }, 'batch sent');
  await giveToNode(context, batchId, signed, signal);
  return 'sent';
}

/** Without a signature the messages go back to the queue at once, where another key may take them. */
async function signOrDrop({ database, signer }: LaneContext, batchId: string, transaction: LaneTransaction, signal?: AbortSignal): Promise<SignedTransaction> {
  try {
    return await signer.sign(transaction, signal);
  } catch (error) {
    await dropClaim(database, batchId);
    throw error;
  }
}

/** A transaction that takes a whole block waits for an empty one. */
function gasMaxFor(gas: number, { view }: Evidence): number {
  return Math.min(gas, Math.floor(Number(view.head.gasLimit) * 0.6));
}
