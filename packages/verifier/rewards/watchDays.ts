import { serviceViews, tryReadView } from '@vouch/chain/contracts/service/views';
import { getBlock, type Block } from '@vouch/chain/rpc/chainReads';
import { messageOf } from '../logging/messageOf.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import type { KeptDay } from '../state/nodeState.ts';
import { daysShown, fetchNodeDays, type NodeDay, type NodeDays } from './fetchDays.ts';

/** Interval between queries, by this machine's clock or by the chain's. */
const lookSeconds = 60;
const idleMs = 1_000;
/** Number of blocks after a day before the day is counted: a reorganization may remove a report, or move it to the next day. */
const settledBlocks = 12;

/** Follows which days the contract credits to the node, and raises an alarm when a day is about to end, or has ended, without credit. */
export class DaysLane {
  readonly #parts: NodeParts;
  #looked = { clockMs: -Infinity, chainTime: -Infinity };

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { system, signal, log } = this.#parts;
    while (!signal.aborted) {
      const { head } = this.#parts.time;
      const now = system.clock.now();
      if (head !== null && (Math.abs(now - this.#looked.clockMs) >= lookSeconds * 1_000 || head.timestamp - this.#looked.chainTime >= lookSeconds)) {
        this.#looked = { clockMs: now, chainTime: head.timestamp };
        await this.#look().catch((error: unknown) => {
          if (!signal.aborted) log.debug({ fault: messageOf(error) }, 'the days of the node could not be read');
        });
      }
      await system.timers.sleep(idleMs, signal);
    }
  }

  async #look(): Promise<void> {
    const { rpc, record, node, configuration: { contract }, time: { head }, system, signal } = this.#parts;
    if (head === null) return;
    const info = await tryReadView(rpc, serviceViews.node(contract.service, node), { block: head.hash, signal });
    const days = info === null ? null : await fetchNodeDays(rpc, contract.service, node, { head, record: info }, record.countedDay === null ? 1 : daysShown, signal);
    if (days === null) return;
    const [today, ...before] = days.days;
    const counted = countedBefore(today, record.countedDay);
    const newest = counted >= today.index - 1 ? counted : await this.#newestSettled(today, head);
    for (const day of before.toReversed()) if (day.index > counted && day.index <= newest) this.#close(day);
    this.#judgeToday(today, days, head.timestamp);
    record.setDay(keep(today, days, system.clock.now()), Math.max(counted, newest));
  }

  /** The newest day whose end no reorganization is expected to reach. */
  async #newestSettled({ index, begin, end }: NodeDay, head: Block): Promise<number> {
    const { rpc, signal } = this.#parts;
    const block = await getBlock(rpc, Math.max(0, head.number - settledBlocks), signal);
    if (block === null) return -1;
    return index - 1 - Math.max(0, Math.ceil((begin - block.timestamp) / (end - begin)));
  }

  #close({ index, lost, creditedWeight }: NodeDay): void {
    const { record, alarms } = this.#parts;
    if (creditedWeight !== null && creditedWeight > 0) record.count('daysCredited');
    if (lost !== true) return;
    record.count('daysLost');
    alarms.say('day-lost', `Day ${index} ended, and the contract did not credit it although this node was active long enough: the node earns nothing for this day. ${whoReports(this.#parts)}`, String(index));
  }

  #judgeToday(today: NodeDay, days: NodeDays, chainTime: number): void {
    const { alarms } = this.#parts;
    if (!isLate(today, days, chainTime)) return alarms.clear('day-late');
    const end = new Date(today.end * 1_000).toISOString();
    alarms.raise('day-late', `This node was active long enough on day ${today.index}, but the contract has not credited the day: the day is lost at ${end} unless it is reported. ${whoReports(this.#parts)}`);
  }
}

/** The newest counted day. An endpoint may be a day behind; a chain that is further behind was restarted, and may number its days from the start again. */
function countedBefore({ index }: NodeDay, counted: number | null): number {
  return counted === null || counted > index + 1 ? index - 1 : counted;
}

function whoReports({ configuration: { sending } }: Pick<NodeParts, 'configuration'>): string {
  return sending.through === 'gateway'
    ? 'The gateway reports days (its setting VOUCH_KEEPER): ask the operator of the gateway. Any account can call nodeReportDailyActive.'
    : 'This program reports days: check the balance of its key and its log.';
}

/** Whether half of the time in which the day could be reported has passed. */
export function isLate({ creditedWeight, end }: NodeDay, { neededSeconds, activeSeconds }: NodeDays, chainTime: number): boolean {
  if (creditedWeight !== 0 || neededSeconds === null || activeSeconds < neededSeconds) return false;
  const reachedAt = chainTime - (activeSeconds - neededSeconds);
  return chainTime - reachedAt >= (end - reachedAt) / 2;
}

function keep({ index, begin, end, creditedWeight }: NodeDay, { neededSeconds }: NodeDays, readAt: number): KeptDay {
  return { index, begin, end, creditedWeight, neededSeconds, readAt };
}
