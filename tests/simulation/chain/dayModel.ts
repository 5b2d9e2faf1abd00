import type { Hex } from '@vouch/chain/messages/operation';
import type { EmittedLog, NodeEarnings, ServiceNode, ServiceState } from './serviceState.ts';

/** Rules of the contract's days: seconds, and smallest units of the reward token. */
export interface DayRules {
  lengthSeconds: number;
  minOnlineSeconds: number;
  dailyReward: bigint;
}

export const usualDays: DayRules = { lengthSeconds: 86_400, minOnlineSeconds: 21_600, dailyReward: 1_000n * 10n ** 18n };
export const noEarnings: NodeEarnings = { lastActiveDate: 0, lastConfirmDate: 0, selfTotal: 0n, perLicense: 0n, weights: new Map() };

const wholeRate = 10_000n;

type Log = (eventName: 'NodeDailyActive' | 'NodeConfirmReward', args: Readonly<Record<string, unknown>>) => EmittedLog;

/** A state with the events of the change. */
export interface Changed {
  state: ServiceState;
  logs: readonly EmittedLog[];
}

/** Number of the day of a time, as the contract counts days. */
export function dateOf(time: number, { lengthSeconds }: DayRules): number {
  return Math.floor(time / lengthSeconds);
}

/** The contract's reason why a report would not credit the day; null if it would. */
export function refuseDay(node: ServiceNode | undefined, time: number, rules: DayRules): string | null {
  if (node?.active !== true) return 'Not active';
  if (node.weight === 0) return 'No weights';
  const today = dateOf(time, rules);
  if (node.earnings.lastActiveDate === today) return 'Already report today';
  return time - Math.max(node.lastEnterTime, today * rules.lengthSeconds) < rules.minOnlineSeconds ? 'Online time is too short' : null;
}

/** Credits the day to a node for which `refuseDay` returns null. */
export function creditDay(before: ServiceState, address: Hex, time: number, rules: DayRules, log: Log): Changed {
  const { state, logs } = settle(before, address, time, rules, log);
  const node = state.nodes.get(address)!;
  const date = dateOf(time, rules);
  const day = state.days.get(date) ?? { pot: rules.dailyReward, weight: 0, settled: 0 };
  return {
    state: {
      ...state, nodes: new Map(state.nodes).set(address, { ...node, earnings: { ...node.earnings, lastActiveDate: date } }),
      days: new Map(state.days).set(date, { ...day, weight: day.weight + node.weight }),
    },
    logs: [...logs, log('NodeDailyActive', { node: address, date })],
  };
}

/** Settles the last credited day of a node if the day is over. Weights of nodes do not change in this model. */
export function settle(state: ServiceState, address: Hex, time: number, rules: DayRules, log: Log): Changed {
  const node = state.nodes.get(address)!;
  const { lastActiveDate: date, lastConfirmDate, selfTotal, perLicense, weights } = node.earnings;
  if (date <= lastConfirmDate || date >= dateOf(time, rules)) return { state, logs: [] };
  const day = state.days.get(date)!;
  const weight = BigInt(node.weight);
  const share = (day.pot * weight) / BigInt(day.weight - day.settled);
  const ofLicense = (share - (share * BigInt(node.commissionRate)) / wholeRate) / weight;
  const earnings = {
    lastActiveDate: date, lastConfirmDate: date, selfTotal: selfTotal + share - ofLicense * weight, perLicense: perLicense + ofLicense, weights: new Map(weights).set(date, node.weight),
  };
  return {
    state: {
      ...state, nodes: new Map(state.nodes).set(address, { ...node, earnings }),
      days: new Map(state.days).set(date, { ...day, pot: day.pot - share, settled: day.settled + node.weight }),
    },
    logs: share === 0n ? [] : [log('NodeConfirmReward', { node: address, selfTotal: earnings.selfTotal, delegationRewards: earnings.perLicense })],
  };
}

/** Number of licenses for which a day is credited to a node; 0 if the day is not credited. */
export function creditedWeight(node: ServiceNode | undefined, date: number): number {
  if (node === undefined) return 0;
  const { lastActiveDate, lastConfirmDate, weights } = node.earnings;
  return date === lastActiveDate && date > lastConfirmDate ? node.weight : weights.get(date) ?? 0;
}
