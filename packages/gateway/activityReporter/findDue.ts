import { dailyActiveData } from '@vouch/chain/contracts/service/actions';
import { creditableFrom, dayViews, decodeCredits, fetchMinOnline, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import { serviceViews } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { callAlone, simulateInOrder } from '../batching/simulate.ts';
import type { LaneContext } from '../sending/laneContext.ts';
import type { ReportedDay } from './activityStore.ts';
import { listActive } from './listActive.ts';
import { fetchMany } from './fetchMany.ts';

/** Maximum number of unsuccessful reports per node and day: each one costs gas, and later ones would fail for the same reason. */
const maxAttempts = 10;
/** Required seconds (six hours, as published) if the contract has no view of them; the contract's event still decides. */
const minOnlineUsual = 6 * 3_600;
/** Maximum number of simulations per read, each of up to `most` nodes. */
const maxSimulations = 20;

/** The block at which the contract is read. */
export interface Head {
  number: number;
  /** Seconds since 1970. */
  timestamp: number;
}

/** Cache between reads; a restart rebuilds the cache. */
export interface DayMemory {
  day: ContractDay;
  /** Earliest time in seconds since 1970 at which the contract can credit each node; can only move later. */
  creditableFrom: Map<Hex, number>;
  addresses: Map<number, Hex>;
}

/** Result of `findDue`. */
export interface Due {
  /** Nodes that a report would credit now. */
  nodes: Hex[];
  /** Time at which the next node may become due, in seconds since 1970; null if no node waits for its hours. */
  nextAt: number | null;
}

/**
 * Finds the nodes whose day a report would credit now: active, not credited, and long enough in the active set.
 * @param known stored days of nodes
 * @param most maximum number of nodes to return
 */
export async function findDue(context: LaneContext, memory: DayMemory, known: readonly ReportedDay[], head: Head, most: number, signal?: AbortSignal): Promise<Due> {
  const days = new Map(known.map((each) => [each.node, each]));
  const active = await listActive(context, memory.addresses, head.number, signal);
  const open = active.filter((node) => {
    const day = days.get(node);
    return day === undefined || (day.credited === false && day.attempts < maxAttempts);
  });
  // Entry times are read again for nodes with an unsuccessful report, which may have left and entered again.
  const unknown = open.filter((node) => !memory.creditableFrom.has(node) || days.has(node));
  await fetchTimes(context, memory, unknown, head, signal);
  const at = (node: Hex): number => memory.creditableFrom.get(node) ?? Infinity;
  const due = open.filter((node) => at(node) <= head.timestamp).toSorted((a, b) => (days.get(a)?.attempts ?? 0) - (days.get(b)?.attempts ?? 0));
  const waiting = open.map(at).filter((time) => time > head.timestamp && time < memory.day.begin + memory.day.lengthSeconds);
  const nodes: Hex[] = [];
  for (let from = 0; from < Math.min(due.length, maxSimulations * most) && nodes.length < most; from += most) {
    nodes.push(...await keepCreditable(context, memory.day, due.slice(from, from + most), head, signal));
  }
  return { nodes: nodes.slice(0, most), nextAt: waiting.length === 0 ? null : Math.min(...waiting) };
}

/** Reads entry times and computes when each node's day can be credited. */
async function fetchTimes(context: LaneContext, { day, creditableFrom: times }: DayMemory, nodes: readonly Hex[], head: Head, signal?: AbortSignal): Promise<void> {
  if (nodes.length === 0) return;
  const minOnline = (await fetchMinOnline(context.rpc, context.service, signal)) ?? minOnlineUsual;
  const records = await fetchMany(context, nodes.map((node) => serviceViews.node(context.service, node)), head.number, signal);
  nodes.forEach((node, place) => {
    const record = records[place];
    if (record !== null && record !== undefined) times.set(node, creditableFrom(day, record.lastEnterTime, minOnline));
  });
}

/** Keeps the nodes for which a simulated report emits the credit event. */
async function keepCreditable(context: LaneContext, day: ContractDay, nodes: readonly Hex[], head: Head, signal?: AbortSignal): Promise<Hex[]> {
  const { rpc, lane, service } = context;
  const calls = nodes.map((node) => ({ to: service, calldata: dailyActiveData(node) }));
  const basis = { from: lane.relayer, block: head.number };
  const simulation = await simulateInOrder(rpc, basis, calls, signal);
  if (simulation !== null) {
    return nodes.filter((node, place) => {
      const call = simulation.calls[place];
      return call?.succeeded === true && decodeCredits(call.logs, service).some((credit) => credit.node === node && credit.date === day.index);
    });
  }
  // Without simulated events, a successful call is not enough: the upstream contract ignores early and repeated reports without a
  // revert.
  const reverts = await callAlone(rpc, basis, calls, signal);
  const weights = await fetchMany(context, nodes.map((node) => dayViews.creditedWeight(service, node, day.index)), head.number, signal);
  return nodes.filter((_, place) => reverts[place] === null && (weights[place] ?? 0) === 0);
}
