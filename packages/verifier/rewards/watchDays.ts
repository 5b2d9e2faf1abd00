import { fetchView, serviceViews } from '@vouch/chain/contracts/service/views';
import { messageOf } from '../logging/messageOf.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import type { KeptDay } from '../state/nodeState.ts';
import { daysShown, fetchNodeDays, type NodeDay, type NodeDays } from './fetchDays.ts';

/** Interval between queries, by this machine's clock or by the chain's. */
const lookSeconds = 60;
const idleMs = 1_000;

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
    const info = await fetchView(rpc, serviceViews.node(contract.service, node), signal);
    const known = record.day;
    const count = known === null ? 1 : daysShown;
    const days = await fetchNodeDays(rpc, contract.service, { address: node, record: info }, head, count, signal);
    if (days === null) return;
    const [today, ...before] = days.days;
    // A restarted chain numbers its days from the start again.
    for (const day of before.toReversed()) if (known !== null && day.index >= known.index && known.index < today.index) this.#close(day);
    this.#judgeToday(today, days, head.timestamp);
    record.setDay(keep(today, days, system.clock.now()));
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
