import { dailyActiveData } from '@vouch/chain/contracts/service/actions';
import { creditableFrom, dayViews, readCredits, readMinOnline, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import { serviceViews } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { callAlone, simulateInOrder } from '../batching/simulate.ts';
import type { LaneContext } from '../sending/laneContext.ts';
import type { ReportedDay } from './activityStore.ts';
import { listActive } from './listActive.ts';
import { readMany } from './readMany.ts';

/** Reports of one node and day that may fail to credit it: each costs gas, and what stops them is not going to change. */
const maxAttempts = 10;
/** The published six hours, where the contract does not tell: the event decides all the same. */
const minOnlineUsual = 6 * 3_600;
/** Simulations of one look, each of up to `most` nodes. */
const maxSimulations = 20;

/** A block by which the contract is asked. */
export interface Head {
  number: number;
  /** Seconds since 1970. */
  timestamp: number;
}

/** What a look keeps for the next one; a restart begins with nothing and finds the same. */
export interface DayMemory {
  day: ContractDay;
  /** From when on the contract may credit a node; it can only become later. */
  creditableFrom: Map<Hex, number>;
  addresses: Map<number, Hex>;
}

export interface Due {
  /** Those that a report would credit now. */
  nodes: Hex[];
  /** When the next one may become due, seconds since 1970; null where none waits for its hours. */
  nextAt: number | null;
}

/**
 * The nodes whose day a report would credit now, by what the contract says: active, not credited, long enough in the set.
 * @param known the days of nodes that are credited or on their way
 * @param most of them
 */
export async function findDue(context: LaneContext, memory: DayMemory, known: readonly ReportedDay[], head: Head, most: number, signal?: AbortSignal): Promise<Due> {
  const days = new Map(known.map((each) => [each.node, each]));
  const active = await listActive(context, memory.addresses, head.number, signal);
  const open = active.filter((node) => {
    const day = days.get(node);
    return day === undefined || (day.credited === false && day.attempts < maxAttempts);
  });
  // What was reported in vain may have left and entered again meanwhile.
  const unknown = open.filter((node) => !memory.creditableFrom.has(node) || days.has(node));
  await readTimes(context, memory, unknown, head, signal);
  const at = (node: Hex): number => memory.creditableFrom.get(node) ?? Infinity;
  const due = open.filter((node) => at(node) <= head.timestamp).toSorted((a, b) => (days.get(a)?.attempts ?? 0) - (days.get(b)?.attempts ?? 0));
  const waiting = open.map(at).filter((time) => time > head.timestamp && time < memory.day.begin + memory.day.lengthSeconds);
  const nodes: Hex[] = [];
  for (let from = 0; from < Math.min(due.length, maxSimulations * most) && nodes.length < most; from += most) {
    nodes.push(...await keepCreditable(context, memory.day, due.slice(from, from + most), head, signal));
  }
  return { nodes: nodes.slice(0, most), nextAt: waiting.length === 0 ? null : Math.min(...waiting) };
}

/** Reads when nodes entered, and from when on their day can be credited. */
async function readTimes(context: LaneContext, { day, creditableFrom: times }: DayMemory, nodes: readonly Hex[], head: Head, signal?: AbortSignal): Promise<void> {
  if (nodes.length === 0) return;
  const minOnline = (await readMinOnline(context.rpc, context.service, signal)) ?? minOnlineUsual;
  const records = await readMany(context, nodes.map((node) => serviceViews.node(context.service, node)), head.number, signal);
  nodes.forEach((node, place) => {
    const record = records[place];
    if (record !== null && record !== undefined) times.set(node, creditableFrom(day, record.lastEnterTime, minOnline));
  });
}

/** Those for which a report now leads to the event. */
async function keepCreditable(context: LaneContext, day: ContractDay, nodes: readonly Hex[], head: Head, signal?: AbortSignal): Promise<Hex[]> {
  const { rpc, lane, service } = context;
  const calls = nodes.map((node) => ({ to: service, calldata: dailyActiveData(node) }));
  const basis = { from: lane.relayer, block: head.number };
  const simulation = await simulateInOrder(rpc, basis, calls, signal);
  if (simulation !== null) {
    return nodes.filter((node, place) => {
      const call = simulation.calls[place];
      return call?.succeeded === true && readCredits(call.logs, service).some((credit) => credit.node === node && credit.date === day.index);
    });
  }
  // Without events, a report that does not revert says nothing yet: the upstream contract ignores one that is too early or the second.
  const reverts = await callAlone(rpc, basis, calls, signal);
  const weights = await readMany(context, nodes.map((node) => dayViews.creditedWeight(service, node, day.index)), head.number, signal);
  return nodes.filter((_, place) => reverts[place] === null && (weights[place] ?? 0) === 0);
}
