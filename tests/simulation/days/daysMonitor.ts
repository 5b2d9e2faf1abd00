import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from '@vouch/chain/messages/operation';
import type { RunningNode } from '@vouch/verifier/node/startNode';
import { stateFile, type NodeState } from '@vouch/verifier/state/nodeState';
import type { ChainView } from '@vouch/verifier/status/chainView';
import { creditedWeight, dateOf } from '../chain/dayModel.ts';
import type { ServiceNode, ServiceState } from '../chain/serviceState.ts';
import type { SimulatedBlock, SimulatedChain } from '../chain/simulatedChain.ts';
import type { DatabaseServer } from '../database/databaseServer.ts';
import { startMs, type Simulation } from '../kernel/simulation.ts';
import { folderOf, type SimulatedNode } from '../nodes/nodeProcess.ts';

/** Time in seconds without faults after which a day must be credited. */
const marginSeconds = 180;

interface ActivityRow {
  date: number;
  node: string;
  credited: boolean | null;
  lost: boolean | null;
  attempts: number;
}

/** The promises of days: each is credited, or stated as lost, and statements agree with the contract. */
export class DaysMonitor {
  readonly #simulation: Simulation;
  readonly #server: DatabaseServer;
  readonly #chain: SimulatedChain;
  readonly #nodes: readonly SimulatedNode[];
  readonly #root: string;
  /** The first day in the stored state of a node: from this day on, the node counts. */
  readonly #firstDay = new Map<string, number>();
  readonly running = new Map<string, RunningNode>();
  readonly counts = { credited: 0, lost: 0, inVain: 0, statuses: 0 };

  constructor(simulation: Simulation, server: DatabaseServer, chain: SimulatedChain, nodes: readonly SimulatedNode[], root: string) {
    this.#simulation = simulation;
    this.#server = server;
    this.#chain = chain;
    this.#nodes = nodes;
    this.#root = root;
  }

  /** Notes what nodes store. */
  checkStates(): void {
    for (const node of this.#nodes) {
      const day = this.#stored(node)?.day ?? null;
      if (day !== null && !this.#firstDay.has(node.name)) this.#firstDay.set(node.name, day.index);
    }
  }

  /** Checks that a status agrees with one block. */
  checkStatus({ name, account: { address } }: SimulatedNode, view: ChainView): void {
    this.counts.statuses += 1;
    const faults = this.#chain.blocksAt(view.time).map((block) => this.#contradiction(view, block, address));
    if (!faults.includes(null)) this.#report('A status agrees with a block', `${name}, at ${view.time - startMs / 1_000} s: ${faults.join('; or ')}`);
  }

  /** Checks what holds when nothing has failed for a long time. @param quietFrom end of the faults, in seconds since 1970 */
  async checkEnds({ quietFrom }: { quietFrom: number }): Promise<void> {
    const { days } = this.#chain.model;
    const { service, timestamp } = this.#chain.head;
    const today = dateOf(timestamp, days);
    const rows = await this.#rows();
    for (const node of this.#nodes) {
      const own = service.nodes.get(node.account.address)!;
      for (let date = dateOf(startMs / 1_000, days); date < today; date += 1) this.#checkDay(node, own, date, rows, quietFrom, today);
      this.#checkCounts(node, own);
    }
    for (const [date, { pot, weight, settled }] of service.days) if (pot < 0n || settled > weight) this.#report('No day is paid twice', `day ${date}: ${pot} of the reward, and ${settled} of ${weight}`);
    this.counts.inVain = rows.reduce((sum, { attempts, credited }) => sum + attempts - (credited === true && attempts > 0 ? 1 : 0), 0);
  }

  #checkDay({ name, account }: SimulatedNode, own: ServiceNode, date: number, rows: readonly ActivityRow[], quietFrom: number, today: number): void {
    const { days } = this.#chain.model;
    const [begin, end] = [date * days.lengthSeconds, (date + 1) * days.lengthSeconds];
    const isCredited = creditedWeight(own, date) > 0;
    const row = rows.find((each) => each.date === date && each.node === account.address.slice(2));
    const what = `${name}, day ${date - dateOf(startMs / 1_000, days)}`;
    this.counts[isCredited ? 'credited' : 'lost'] += 1;
    const wasThere = own.active && Math.max(begin, own.lastEnterTime) + days.minOnlineSeconds < end;
    if (begin >= quietFrom + marginSeconds && wasThere && !isCredited) this.#report('A day without faults is credited', what);
    // The newest day may not be final, or not read yet.
    if (date >= today - 1 && this.#chain.head.timestamp - end < marginSeconds) return;
    if (row !== undefined && row.credited !== isCredited) this.#report('The gateway knows which days are credited', `${what} is ${isCredited ? 'credited' : 'not credited'}; the gateway says ${JSON.stringify(row)}`);
    if (row === undefined && wasThere) this.#report('A gateway states what became of each day', `${what}, which is ${isCredited ? 'credited' : 'lost'}`);
    if (row !== undefined && wasThere && !isCredited && row.lost !== true) this.#report('A lost day is stated', `${what}: ${JSON.stringify(row)}`);
  }

  #checkCounts(node: SimulatedNode, own: ServiceNode): void {
    const state = this.running.get(node.name)?.state() ?? null;
    if (state === null || state.day === null || state.countedDay === null) return this.#report('A node runs after faults', `${node.name} has no state of its days`);
    const { days } = this.#chain.model;
    const counted = { credited: 0, lost: 0, surelyLost: 0 };
    for (let date = this.#firstDay.get(node.name)!; date <= state.countedDay; date += 1) {
      if (creditedWeight(own, date) > 0) counted.credited += 1;
      else counted.lost += 1;
      if (creditedWeight(own, date) === 0 && own.lastEnterTime <= date * days.lengthSeconds) counted.surelyLost += 1;
    }
    if (state.countedDay < state.day.index - 2) this.#report('A node counts its days', `${node.name} has counted its days until ${state.countedDay}, and it is day ${state.day.index}`);
    const { daysCredited, daysLost } = state.counts;
    if (daysCredited !== counted.credited || daysLost > counted.lost || daysLost < counted.surelyLost) {
      this.#report('A node counts its days', `${node.name} counts ${daysCredited} credited and ${daysLost} lost days; the contract credited ${counted.credited} of ${counted.credited + counted.lost}, and the node was active in ${counted.surelyLost} others`);
    }
    const left = state.alarms.filter(({ code }) => code === 'day-late');
    if (left.length > 0) this.#report('An alarm ends with its cause', `${node.name}: ${left.map(({ sentence }) => sentence.slice(0, 150)).join('; ')}`);
  }

  /** What a status says that does not hold at a block; null if all of it holds. */
  #contradiction(view: ChainView, { service, timestamp }: SimulatedBlock, address: Hex): string | null {
    const { days } = this.#chain.model;
    const own = service.nodes.get(address)!;
    if (view.active !== own.active || view.earned !== own.earnings.selfTotal || (view.enteredAt ?? 0) !== own.lastEnterTime) return `active ${view.active}, earned ${view.earned}, entered at ${view.enteredAt}; the contract says ${own.active}, ${own.earnings.selfTotal}, ${own.lastEnterTime}`;
    const [today] = view.days!.days;
    if (today.index !== dateOf(timestamp, days) || today.begin !== today.index * days.lengthSeconds) return `day ${today.index} from ${today.begin}`;
    for (const { index, creditedWeight: weight, expected } of view.days!.days) {
      if (weight !== creditedWeight(own, index)) return `day ${index} has weight ${weight}, instead of ${creditedWeight(own, index)}`;
      const paid = this.#paid(service, address, index);
      if (expected !== null && (expected.node !== paid.node || expected.perLicense !== paid.perLicense)) return `day ${index} is said to pay ${expected.node} and ${expected.perLicense} per license, and pays ${paid.node} and ${paid.perLicense}`;
    }
    return null;
  }

  /** What the contract pays if it settles a day in this state. */
  #paid(service: ServiceState, address: Hex, date: number): { node: bigint; perLicense: bigint } {
    const { days } = this.#chain.model;
    const after = this.#chain.model.settle(service, address, (date + 1) * days.lengthSeconds).state;
    const [before, then] = [service.nodes.get(address)!.earnings, after.nodes.get(address)!.earnings];
    return { node: then.selfTotal - before.selfTotal, perLicense: then.perLicense - before.perLicense };
  }

  async #rows(): Promise<ActivityRow[]> {
    const { rows } = await this.#server.control.query<ActivityRow>(`SELECT date, encode(node, 'hex') AS node, credited, lost, attempts FROM gateway_activity ORDER BY date, node`);
    return rows;
  }

  #stored(node: SimulatedNode): NodeState | null {
    try {
      return JSON.parse(readFileSync(join(folderOf(this.#root, node), stateFile), 'utf8')) as NodeState;
    } catch {
      return null;
    }
  }

  #report(promise: string, observed: string): void {
    this.#simulation.report(promise, observed);
  }
}
