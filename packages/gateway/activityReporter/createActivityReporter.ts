import { readContractDay, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import type { ActivityReporter, FundedSlot, LaneContext } from '../sending/laneContext.ts';
import { askRandomness } from './askRandomness.ts';
import { closeDay } from './closeDay.ts';
import { concludeAttestations, type Conclusions } from './concludeAttestations.ts';
import type { DayMemory, Head } from './findDue.ts';
import { reportActivity } from './reportActivity.ts';
import { scanAttestations } from './scanAttestations.ts';

/** The active set is read this often in a day, since nodes enter at any time; the contract's own day begins it anew. */
const looksPerDay = 40;
/** While something is on its way, or after a failure; and never more often. */
const lookMsMin = 15_000;
/** How often attestations are looked at; nodes are chosen within seconds, and reports have half an hour. */
const attestationsMs = 60_000;
/** A contract that tells no day is taken to have those of the calendar. */
const calendarDaySeconds = 86_400;

type Work = (context: LaneContext, head: Head, own: FundedSlot, signal?: AbortSignal) => Promise<boolean>;

/**
 * Does for the nodes what no message asks for. It reports the day of every active node once its hours are reached, until the
 * contract's event says that the day is credited: a node's own program does not, and a day that nobody reports earns nothing. It
 * asks again for random words that do not come, and says how attestations ended. All of it is open to anybody by the contract, and
 * paid by the relayer.
 * One for each relayer key. It holds nothing that a restart would lose.
 */
export function createActivityReporter(conclusions: Conclusions): ActivityReporter {
  const days = createDays();
  const attestations = createAttestations(conclusions);
  let daysFirst = true;
  return {
    async report(context, headTime, own, signal) {
      const head = { number: own.headNumber, timestamp: headTime };
      // Only one thing is sent in a turn: neither may keep the other from its turn.
      daysFirst = !daysFirst;
      for (const work of daysFirst ? [days, attestations] : [attestations, days]) {
        if (await unlessFailed(context, () => work(context, head, own, signal), signal)) return true;
      }
      return false;
    },
  };
}

/** Neither the messages of operators nor the keeper's other work end with what fails here: it is tried again. */
async function unlessFailed({ log, lane }: LaneContext, work: () => Promise<boolean>, signal?: AbortSignal): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    log.warn({ reason: (error as Error).message, relayer: lane.relayer }, 'what nodes need of the keeper could not be looked at; it is tried again');
    return false;
  }
}

/** When the contract is asked next: by the machine's clock, or earlier by the chain's. */
interface NextLook {
  ms: number;
  headTime: number;
}

function createDays(): Work {
  let next: NextLook = { ms: 0, headTime: Infinity };
  let memory: DayMemory | null = null;
  return async (context, head, own, signal) => {
    const { rpc, service, doors } = context;
    const now = doors.clock.now();
    if (now < next.ms && head.timestamp < next.headTime) return false;
    next = { ms: now + lookMsMin, headTime: Infinity };
    const day = (await readContractDay(rpc, service, head, signal)) ?? calendarDay(head.timestamp);
    if (memory?.day.index !== day.index) {
      await closeDay(context, day, head, signal);
      memory = { day, creditableFrom: new Map(), addresses: memory?.addresses ?? new Map() };
    }
    const { sent, busy, nextAt } = await reportActivity(context, memory, head, own, signal);
    if (!busy) {
      next = { ms: now + Math.max(lookMsMin, (day.lengthSeconds * 1_000) / looksPerDay), headTime: Math.min(nextAt ?? Infinity, day.begin + day.lengthSeconds) };
    }
    return sent;
  };
}

function createAttestations(conclusions: Conclusions): Work {
  let nextMs = 0;
  return async (context, head, own, signal) => {
    // Services of another make let nobody ask again, and say nothing at the end.
    if (context.isolation.kind !== 'native') return false;
    const now = context.doors.clock.now();
    if (now < nextMs) return false;
    nextMs = now + attestationsMs;
    await scanAttestations(context, head, signal);
    const sent = (await askRandomness(context, head, own, signal)) || (await concludeAttestations(context, conclusions, head, own, signal));
    // There may be more than one transaction carries.
    if (sent) nextMs = now;
    return sent;
  };
}

function calendarDay(headTime: number): ContractDay {
  const index = Math.floor(headTime / calendarDaySeconds);
  return { index, begin: index * calendarDaySeconds, lengthSeconds: calendarDaySeconds };
}
