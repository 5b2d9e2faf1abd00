import { decodeAbiParameters, decodeFunctionResult, parseAbi, parseAbiParameters, toEventSelector } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import type { Block, Log } from '../../rpc/chainReads.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { bounded, lower, tryReadView, view, type View } from './views.ts';

const abi = parseAbi([
  'function todayIndex() view returns (uint32)',
  'function todayOffset() view returns (uint256)',
  'function nodeDailyActive(address node, uint32 day) view returns (uint32)',
  'function globalDailyActiveNodes(uint32 day) view returns (uint32)',
  'function activeVrfNodeList(uint256 place) view returns (uint32)',
  'function nodeAddrByID(uint32 id) view returns (address)',
  'function currentDate() view returns (uint32)',
  'function dayInfo(uint32 day) view returns (uint128 pot, uint64 weight)',
  'function settings() view returns (address)',
  'function vault() view returns (address)',
  'function dayLength() view returns (uint32)',
  'function dailyReward() view returns (uint128)',
  'function rules() view returns (uint256 reportWindow, uint256 maxExpiry, uint256 commissionInterval, uint256 dayLength, uint256 minOnline, uint256 maxActiveNodes, uint256 maxChosenNodes, uint256 maxCommissionIncrease, uint256 maxMissedReports, uint256 maxDelegations)',
  'function nodeMinOnlineDuration() view returns (uint256)',
  'function totalRewardByDate(uint32 day) view returns (uint256)',
]);

/**
 * Reads of days and of what they pay. Other services have only some of these views: the deployed upstream service has no `currentDate`,
 * no `dayInfo` and another settings contract, and older deployments of ours have neither `todayIndex` nor `nodeDailyActive`.
 */
export const dayViews = {
  todayIndex: (service: Hex): View<number> => view(abi, service, 'todayIndex', [], (data) => decodeFunctionResult({ abi, functionName: 'todayIndex', data })),
  /** Seconds since the day began. */
  todayOffset: (service: Hex): View<number> => view(abi, service, 'todayOffset', [], (data) => bounded(decodeFunctionResult({ abi, functionName: 'todayOffset', data }))),
  /** Weight with which a day of a node is credited; 0: it is not. */
  creditedWeight: (service: Hex, node: Hex, day: number): View<number> => view(abi, service, 'nodeDailyActive', [node, day], (data) =>
    decodeFunctionResult({ abi, functionName: 'nodeDailyActive', data })),
  /** Weight of all nodes that a day is credited to. */
  weightOfDay: (service: Hex, day: number): View<number> => view(abi, service, 'globalDailyActiveNodes', [day], (data) =>
    decodeFunctionResult({ abi, functionName: 'globalDailyActiveNodes', data })),
  /** What of a day is not settled: the reward in smallest units, and the weight that shares it. */
  unsettled: (service: Hex, day: number): View<{ pot: bigint; weight: bigint }> => view(abi, service, 'dayInfo', [day], (data) => {
    const [pot, weight] = decodeFunctionResult({ abi, functionName: 'dayInfo', data });
    return { pot, weight };
  }),
  /** Number of the node at a place of the active set; reverts behind its end. */
  activePlace: (service: Hex, place: number): View<number> => view(abi, service, 'activeVrfNodeList', [BigInt(place)], (data) =>
    decodeFunctionResult({ abi, functionName: 'activeVrfNodeList', data })),
  nodeOfId: (service: Hex, id: number): View<Hex> => view(abi, service, 'nodeAddrByID', [id], (data) =>
    lower(decodeFunctionResult({ abi, functionName: 'nodeAddrByID', data }))),
  currentDate: (service: Hex): View<number> => view(abi, service, 'currentDate', [], (data) => decodeFunctionResult({ abi, functionName: 'currentDate', data })),
  settings: (service: Hex): View<Hex> => view(abi, service, 'settings', [], (data) => lower(decodeFunctionResult({ abi, functionName: 'settings', data }))),
  vault: (service: Hex): View<Hex> => view(abi, service, 'vault', [], (data) => lower(decodeFunctionResult({ abi, functionName: 'vault', data }))),
  /** Of our settings contract, seconds; as the next two. */
  dayLength: (settings: Hex): View<number> => view(abi, settings, 'dayLength', [], (data) => decodeFunctionResult({ abi, functionName: 'dayLength', data })),
  dailyReward: (settings: Hex): View<bigint> => view(abi, settings, 'dailyReward', [], (data) => decodeFunctionResult({ abi, functionName: 'dailyReward', data })),
  minOnline: (settings: Hex): View<number> => view(abi, settings, 'rules', [], (data) => bounded(decodeFunctionResult({ abi, functionName: 'rules', data })[4])),
  /** Of the upstream settings contract, seconds. */
  minOnlineUpstream: (settings: Hex): View<number> => view(abi, settings, 'nodeMinOnlineDuration', [], (data) =>
    bounded(decodeFunctionResult({ abi, functionName: 'nodeMinOnlineDuration', data }))),
  /** Of the upstream vault, smallest units. */
  rewardOfDayUpstream: (vault: Hex, day: number): View<bigint> => view(abi, vault, 'totalRewardByDate', [day], (data) =>
    decodeFunctionResult({ abi, functionName: 'totalRewardByDate', data })),
};

/** The day of rewards that a block belongs to, as the contract counts. */
export interface ContractDay {
  /** Number by which the contract knows the day. */
  index: number;
  /** Seconds since 1970. */
  begin: number;
  lengthSeconds: number;
}

/** The upstream service has days of 24 hours and no view that says so. */
const upstreamDaySeconds = 86_400;

/**
 * The contract's own day at a block: the upstream one counts from its vault's start, ours from 1970.
 * @returns null where the contract tells no day
 * @throws as `tryReadView`
 */
export async function readContractDay(rpc: RpcClient, service: Hex, block: Pick<Block, 'number' | 'timestamp'>, signal?: AbortSignal): Promise<ContractDay | null> {
  const at = { block: block.number, ...(signal === undefined ? {} : { signal }) };
  const settings = await tryReadView(rpc, dayViews.settings(service), at);
  const length = settings === null ? null : await tryReadView(rpc, dayViews.dayLength(settings), at);
  const [index, offset] = await Promise.all([tryReadView(rpc, dayViews.todayIndex(service), at), tryReadView(rpc, dayViews.todayOffset(service), at)]);
  if (index !== null && offset !== null) return { index, begin: block.timestamp - offset, lengthSeconds: length ?? upstreamDaySeconds };
  const date = await tryReadView(rpc, dayViews.currentDate(service), at);
  return date === null || length === null ? null : { index: date, begin: date * length, lengthSeconds: length };
}

/** How long a node has to be active in a day for the day to be credited, seconds. Null where the contract does not tell. @throws as `tryReadView` */
export async function readMinOnline(rpc: RpcClient, service: Hex, signal?: AbortSignal): Promise<number | null> {
  const at = signal === undefined ? {} : { signal };
  const settings = await tryReadView(rpc, dayViews.settings(service), at);
  if (settings === null) return null;
  return (await tryReadView(rpc, dayViews.minOnline(settings), at)) ?? tryReadView(rpc, dayViews.minOnlineUpstream(settings), at);
}

/** From when on today can be credited to a node that stays in the active set, seconds since 1970: both contracts count from the later of the two. */
export function creditableFrom(day: ContractDay, lastEnterTime: number, minOnline: number): number {
  return Math.max(day.begin, lastEnterTime) + minOnline;
}

const dailyActive = toEventSelector('NodeDailyActive(address,uint32)');
const dailyActiveFields = parseAbiParameters('address, uint32');

/** Whose days a transaction credited, by the service's events: the only thing that says so at either contract. */
export function readCredits(logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[], service: Hex): { node: Hex; date: number }[] {
  return logs.flatMap(({ address, topics, data }) => {
    if (address !== service || topics[0] !== dailyActive) return [];
    const [node, date] = decodeAbiParameters(dailyActiveFields, data);
    return [{ node: lower(node), date }];
  });
}
