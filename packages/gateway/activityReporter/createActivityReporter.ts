import { fetchContractDay, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import { isDue } from '@vouch/platform/process/isDue';
import type { ActivityReporter, FundedSlot, LaneContext } from '../sending/laneContext.ts';
import { askRandomness } from './askRandomness.ts';
import { closeDays } from './closeDays.ts';
import { concludeAttestations, type Conclusions } from './concludeAttestations.ts';
import type { DayMemory, Head } from './findDue.ts';
import { reportActivity } from './reportActivity.ts';
import { scanAttestations } from './scanAttestations.ts';

/** Reads of the active set per day, because nodes enter at any time; the start of the contract's day adds one. */
const looksPerDay = 40;
/** Minimum interval in ms between reads; applies while a transaction is pending and after a failure. */
const lookMsMin = 15_000;
/** Interval in ms of reading attestations; nodes are chosen within seconds, and report windows last half an hour. */
const attestationsMs = 60_000;
/** Assumed day length in seconds of a contract that has no view of its day. */
const calendarDaySeconds = 86_400;

type Work = (context: LaneContext, head: Head, own: FundedSlot, signal?: AbortSignal) => Promise<boolean>;

/**
 * Creates the activity reporter of one relayer key. The activity reporter does three things for nodes without a message of
 * theirs: it reports each active node's day after the required hours, until the contract's event confirms the credit; it
 * repeats unanswered randomness requests; it concludes ended attestations. The node software does not report days, and an
 * unreported day earns nothing. The contract lets any sender make these calls; the relayer pays. A restart loses no state.
 */
export function createActivityReporter(conclusions: Conclusions): ActivityReporter {
  const days = createDays();
  const attestations = createAttestations(conclusions);
  let daysFirst = true;
  return {
    async report(context, headTime, own, signal) {
      const head = { number: own.headNumber, timestamp: headTime };
      // A turn sends at most one transaction, so the order alternates and neither kind of work starves.
      daysFirst = !daysFirst;
      for (const work of daysFirst ? [days, attestations] : [attestations, days]) {
        if (await unlessFailed(context, () => work(context, head, own, signal), signal)) return true;
      }
      return false;
    },
  };
}

/** Logs a failure and continues: neither the operators' messages nor the other work may stop; the work is retried. */
async function unlessFailed({ log, lane }: LaneContext, work: () => Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    log.warn({ reason: (error as Error).message, relayer: lane.relayer }, 'the check for due maintenance transactions failed; the gateway retries it');
    return false;
  }
}

/** Time of the next read: `ms` by this machine's clock, `waitMs` after the last read, or `headTime` (seconds) by the chain's time, whichever comes first. */
interface NextLook {
  ms: number;
  waitMs: number;
  headTime: number;
}

function createDays(): Work {
  let next: NextLook = { ms: -Infinity, waitMs: 0, headTime: Infinity };
  let memory: DayMemory | null = null;
  /** The newest past day that is compared with the contract's credits. */
  let closed: number | null = null;
  return async (context, head, own, signal) => {
    const { rpc, service, system } = context;
    const now = system.clock.now();
    if (!isDue(next.ms, next.waitMs, now) && head.timestamp < next.headTime) return false;
    next = { ms: now + lookMsMin, waitMs: lookMsMin, headTime: Infinity };
    const day = (await fetchContractDay(rpc, service, head, signal)) ?? calendarDay(head.timestamp);
    if (memory?.day.index !== day.index) memory = { day, creditableFrom: new Map(), addresses: memory?.addresses ?? new Map() };
    if (closed !== day.index - 1 && (await hasFinalBlock(context, day, head, signal))) {
      await closeDays(context, day, head, signal);
      closed = day.index - 1;
    }
    const { sent, busy, nextAt } = await reportActivity(context, memory, head, own, signal);
    if (!busy && closed === day.index - 1) {
      const waitMs = Math.max(lookMsMin, (day.lengthSeconds * 1_000) / looksPerDay);
      next = { ms: now + waitMs, waitMs, headTime: Math.min(nextAt ?? Infinity, day.begin + day.lengthSeconds) };
    }
    return sent;
  };
}

function createAttestations(conclusions: Conclusions): Work {
  let nextMs = -Infinity;
  return async (context, head, own, signal) => {
    // Other contracts support neither repeated randomness requests nor conclusion events.
    if (context.isolation.kind !== 'native') return false;
    const now = context.system.clock.now();
    if (!isDue(nextMs, attestationsMs, now)) return false;
    nextMs = now + attestationsMs;
    await scanAttestations(context, head, signal);
    const sent = (await askRandomness(context, head, own, signal)) || (await concludeAttestations(context, conclusions, head, own, signal));
    // One transaction may not hold all the work, so the next turn continues.
    if (sent) nextMs = now;
    return sent;
  };
}

/** Whether a block of the day is final. Before that, a reorganization may move a report of the day before to this day, or remove it. */
async function hasFinalBlock({ rpc, rules }: LaneContext, day: ContractDay, head: Head, signal?: AbortSignal): Promise<boolean> {
  const block = await getBlock(rpc, Math.max(0, head.number - rules.confirmations), signal);
  return block !== null && block.timestamp >= day.begin;
}

function calendarDay(headTime: number): ContractDay {
  const index = Math.floor(headTime / calendarDaySeconds);
  return { index, begin: index * calendarDaySeconds, lengthSeconds: calendarDaySeconds };
}
