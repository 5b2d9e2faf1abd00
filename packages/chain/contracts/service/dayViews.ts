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
 * Views of days and rewards. Other services have only some of these views: the deployed upstream service has neither `currentDate` nor
 * `dayInfo` and another settings contract; older Vouch deployments have neither `todayIndex` nor `nodeDailyActive`.
 */
export const dayViews = {
  todayIndex: (service: Hex): View<number> => view(abi, service, 'todayIndex', [], (data) => decodeFunctionResult({ abi, functionName: 'todayIndex', data })),
  /** Seconds since the start of the day. */
  todayOffset: (service: Hex): View<number> => view(abi, service, 'todayOffset', [], (data) => bounded(decodeFunctionResult({ abi, functionName: 'todayOffset', data }))),
  /** Weight with which a day is credited to a node; 0 if the day is not credited. */
  creditedWeight: (service: Hex, node: Hex, day: number): View<number> => view(abi, service, 'nodeDailyActive', [node, day], (data) =>
    decodeFunctionResult({ abi, functionName: 'nodeDailyActive', data })),
  /** Total weight of all nodes to which a day is credited. */
  weightOfDay: (service: Hex, day: number): View<number> => view(abi, service, 'globalDailyActiveNodes', [day], (data) =>
    decodeFunctionResult({ abi, functionName: 'globalDailyActiveNodes', data })),
  /** Unsettled part of a day: the reward in the smallest unit, and the weight that shares it. */
  unsettled: (service: Hex, day: number): View<{ pot: bigint; weight: bigint }> => view(abi, service, 'dayInfo', [day], (data) => {
    const [pot, weight] = decodeFunctionResult({ abi, functionName: 'dayInfo', data });
    return { pot, weight };
  }),
  /** Id of the node at a position of the active set; reverts beyond the end. */
  activePlace: (service: Hex, place: number): View<number> => view(abi, service, 'activeVrfNodeList', [BigInt(place)], (data) =>
    decodeFunctionResult({ abi, functionName: 'activeVrfNodeList', data })),
  nodeOfId: (service: Hex, id: number): View<Hex> => view(abi, service, 'nodeAddrByID', [id], (data) =>
    lower(decodeFunctionResult({ abi, functionName: 'nodeAddrByID', data }))),
  currentDate: (service: Hex): View<number> => view(abi, service, 'currentDate', [], (data) => decodeFunctionResult({ abi, functionName: 'currentDate', data })),
  settings: (service: Hex): View<Hex> => view(abi, service, 'settings', [], (data) => lower(decodeFunctionResult({ abi, functionName: 'settings', data }))),
  vault: (service: Hex): View<Hex> => view(abi, service, 'vault', [], (data) => lower(decodeFunctionResult({ abi, functionName: 'vault', data }))),
  /** In Vouch's settings contract, seconds; the next two views belong to this contract too. */
  dayLength: (settings: Hex): View<number> => view(abi, settings, 'dayLength', [], (data) => decodeFunctionResult({ abi, functionName: 'dayLength', data })),
  dailyReward: (settings: Hex): View<bigint> => view(abi, settings, 'dailyReward', [], (data) => decodeFunctionResult({ abi, functionName: 'dailyReward', data })),
  minOnline: (settings: Hex): View<number> => view(abi, settings, 'rules', [], (data) => bounded(decodeFunctionResult({ abi, functionName: 'rules', data })[4])),
  /** In the upstream settings contract, seconds. */
  minOnlineUpstream: (settings: Hex): View<number> => view(abi, settings, 'nodeMinOnlineDuration', [], (data) =>
    bounded(decodeFunctionResult({ abi, functionName: 'nodeMinOnlineDuration', data }))),
  /** In the upstream vault, smallest unit of the token. */
  rewardOfDayUpstream: (vault: Hex, day: number): View<bigint> => view(abi, vault, 'totalRewardByDate', [day], (data) =>
    decodeFunctionResult({ abi, functionName: 'totalRewardByDate', data })),
};

/** Reward day of a block, by the contract's own numbering. */
export interface ContractDay {
  /** The contract's number of the day. */
  index: number;
  /** Start of the day, seconds since 1970. */
  begin: number;
  lengthSeconds: number;
}

/** Length of a day in the upstream service, which has no view for this value. */
const upstreamDaySeconds = 86_400;

/**
 * Reads the contract's day at a block: by its hash if given, so that an endpoint on another branch refuses. The upstream service counts days from the start of its vault, Vouch's service from 1970.
 * @returns null if the contract has no view of days
 * @throws the errors of `tryReadView`
 */
export async function fetchContractDay(rpc: RpcClient, service: Hex, block: Pick<Block, 'number' | 'timestamp'> & Partial<Pick<Block, 'hash'>>, signal?: AbortSignal): Promise<ContractDay | null> {
  const at = { block: block.hash ?? block.number, ...(signal === undefined ? {} : { signal }) };
  const settings = await tryReadView(rpc, dayViews.settings(service), at);
  const length = settings === null ? null : await tryReadView(rpc, dayViews.dayLength(settings), at);
  const [index, offset] = await Promise.all([tryReadView(rpc, dayViews.todayIndex(service), at), tryReadView(rpc, dayViews.todayOffset(service), at)]);
  if (index !== null && offset !== null) return { index, begin: block.timestamp - offset, lengthSeconds: length ?? upstreamDaySeconds };
  const date = await tryReadView(rpc, dayViews.currentDate(service), at);
  return date === null || length === null ? null : { index: date, begin: date * length, lengthSeconds: length };
}

/** Reads the minimum time in the active set for earning a day, in seconds. @param block hash; default: the newest block @returns null if the contract has no such view @throws the errors of `tryReadView` */
export async function fetchMinOnline(rpc: RpcClient, service: Hex, signal?: AbortSignal, block?: Hex): Promise<number | null> {
  const at = { ...(signal === undefined ? {} : { signal }), ...(block === undefined ? {} : { block }) };
  const settings = await tryReadView(rpc, dayViews.settings(service), at);
  if (settings === null) return null;
  return (await tryReadView(rpc, dayViews.minOnline(settings), at)) ?? tryReadView(rpc, dayViews.minOnlineUpstream(settings), at);
}

/** Earliest time, in seconds since 1970, at which the day can be credited to a node that stays active: minOnline after the later of day start and entry. */
export function creditableFrom(day: ContractDay, lastEnterTime: number, minOnline: number): number {
  return Math.max(day.begin, lastEnterTime) + minOnline;
}

const dailyActive = toEventSelector('NodeDailyActive(address,uint32)');
const dailyActiveFields = parseAbiParameters('address, uint32');

/** Returns the days that a transaction credited, from the service's events: the only source that both contracts have. */
export function decodeCredits(logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[], service: Hex): { node: Hex; date: number }[] {
  return logs.flatMap(({ address, topics, data }) => {
    if (address !== service || topics[0] !== dailyActive) return [];
    const [node, date] = decodeAbiParameters(dailyActiveFields, data);
    return [{ node: lower(node), date }];
  });
}
