import { dailyActiveData } from '@vouch/chain/contracts/service/actions';
import { readContractDay, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import type { Hex } from '@vouch/chain/messages/operation';
import { wrapCalls, type ArrangedCall } from '../batching/arrangeCalls.ts';
import type { LineContext } from '../sending/lineContext.ts';
import { sendActivity, type OwnTransaction } from '../sending/sendOwn.ts';
import { readDay, storeReported, type ReportedDay } from './activityStore.ts';
import { createRandomnessWatch } from './askRandomness.ts';
import { closeDay } from './closeDay.ts';
import { findDue, type DayMemory, type Head } from './findDue.ts';
import { settleReports } from './settleReports.ts';

/** Most nodes of one transaction; a report of one takes up to 120,000 gas. */
const nodesMax = 100;
const gasOfNode = 130_000n;
const gasFixed = 100_000n;
/** The active set is read this often in a day, since nodes enter at any time; the contract's own day begins it anew. */
const looksPerDay = 40;
/** While something is on its way, or after a failure; and never more often. */
const lookMsMin = 15_000;
/** A contract that tells no day is taken to have those of the calendar. */
const calendarDaySeconds = 86_400;

/** The transaction to be sent, and what the key has left for it. */
export interface KeeperTransaction extends OwnTransaction {
  spareWei: bigint;
}

/**
 * Does for the nodes what no message asks for. It asks again for random words that do not come, and it
 * reports the day of every active node once its hours are reached, until the contract's event says that the day is credited: a
 * node's own program does not, and a day that nobody reports earns nothing. Open to anybody by the contract, and paid by the relayer.
 */
export interface Keeper {
  /** @param headTime seconds since 1970 @returns whether something was sent */
  keep(context: LineContext, headTime: number, own: KeeperTransaction, signal?: AbortSignal): Promise<boolean>;
}

/** When the contract is asked next: by the machine's clock, or earlier by the chain's. */
interface NextLook {
  ms: number;
  headTime: number;
}

/** One keeper for each relayer key. It holds nothing that a restart would lose. */
export function createKeeper(): Keeper {
  let next: NextLook = { ms: 0, headTime: Infinity };
  let memory: DayMemory | null = null;
  const randomness = createRandomnessWatch();
  return {
    async keep(context, headTime, own, signal) {
      const { rpc, service, doors } = context;
      const now = doors.clock.now();
      const head = { number: own.headNumber, timestamp: headTime };
      if (await unlessFailed(context, () => randomness.ask(context, head, own, signal), signal)) return true;
      if (now < next.ms && headTime < next.headTime) return false;
      next = { ms: now + lookMsMin, headTime: Infinity };
      return unlessFailed(context, async () => {
        const day = (await readContractDay(rpc, service, head, signal)) ?? calendarDay(headTime);
        if (memory?.day.index !== day.index) {
          await closeDay(context, day, head, signal);
          memory = { day, creditableFrom: new Map(), addresses: memory?.addresses ?? new Map<number, Hex>() };
        }
        const looked = await look(context, memory, head, own, signal);
        next = looked.busy ? next : { ms: now + Math.max(lookMsMin, (day.lengthSeconds * 1_000) / looksPerDay), headTime: Math.min(looked.nextAt ?? Infinity, day.begin + day.lengthSeconds) };
        return looked.sent;
      }, signal);
    },
  };
}

/** Neither the messages of operators nor the keeper's other work end with what fails here: it is tried again. */
async function unlessFailed({ log, line }: LineContext, work: () => Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    log.warn({ reason: (error as Error).message, relayer: line.relayer }, 'what nodes need of the keeper could not be looked at; it is tried again');
    return false;
  }
}

interface Looked {
  sent: boolean;
  /** Whether something is on its way or still to be sent. */
  busy: boolean;
  /** When the next node may become due, seconds since 1970. */
  nextAt: number | null;
}

async function look(context: LineContext, memory: DayMemory, head: Head, own: KeeperTransaction, signal?: AbortSignal): Promise<Looked> {
  const { database, line, limits, log } = context;
  await settleReports(context, signal);
  const known = await readDay(database, line.deployment, memory.day.index);
  const most = Math.max(1, Math.min(nodesMax, Math.floor((limits.gas - Number(gasFixed)) / Number(gasOfNode))));
  const { nodes, nextAt } = await findDue(context, memory, known, head, most, signal);
  if (nodes.length === 0) return { sent: false, busy: isUnderWay(known), nextAt };
  const gasLimit = gasFixed + gasOfNode * BigInt(nodes.length);
  // Messages come first: a transaction that cannot be paid would hold those behind it up.
  if (gasLimit * own.fees.maxFeeWei > own.spareWei) {
    log.warn({ nodes: nodes.length, relayer: line.relayer }, 'the balance of a relayer key does not pay for the daily activity of nodes: send it more');
    return { sent: false, busy: true, nextAt };
  }
  return { sent: await report(context, memory.day, nodes, gasLimit, own, signal), busy: true, nextAt };
}

function isUnderWay(known: readonly ReportedDay[]): boolean {
  return known.some(({ credited }) => credited === null);
}

class ReportedByOther extends Error {}

async function report(context: LineContext, { index }: ContractDay, nodes: readonly Hex[], gasLimit: bigint, own: KeeperTransaction, signal?: AbortSignal): Promise<boolean> {
  const { line, service, isolation, log } = context;
  const calls = nodes.map((node, member): ArrangedCall => ({ kind: 'single', data: dailyActiveData(node), member }));
  const payload = wrapCalls(calls, service, isolation);
  try {
    const sent = await sendActivity(context, payload, gasLimit, own, async (transaction, batchId) => {
      if (!(await storeReported(transaction, line.deployment, index, nodes, batchId))) throw new ReportedByOther();
    }, signal);
    if (sent !== null) log.info({ batch: sent, nodes: nodes.length, date: index }, 'daily activity reported');
    return sent !== null;
  } catch (error) {
    if (error instanceof ReportedByOther) return false;
    throw error;
  }
}

function calendarDay(headTime: number): ContractDay {
  const index = Math.floor(headTime / calendarDaySeconds);
  return { index, begin: index * calendarDaySeconds, lengthSeconds: calendarDaySeconds };
}
