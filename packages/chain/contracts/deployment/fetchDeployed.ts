import { decodeFunctionResult, encodeFunctionData, keccak256 } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import { getBlock, getCode } from '../../rpc/chainReads.ts';
import { parseBytes } from '../../rpc/parseResult.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { localCoordinatorAbi } from '../abi/localCoordinator.ts';
import type { Rules, VerdictRules } from '../rules.ts';
import { keptCode, maskImmutables, ownedContracts } from './contractList.ts';
import { contractNames, type ContractName, type Contracts } from './contractNames.ts';
import { DeploymentFault } from './deploymentFault.ts';
import { factsOf, type DeploymentRecord } from './deploymentRecord.ts';
import { fetchViews, type View } from './fetchViews.ts';
import { holdersOf, fetchEvents, teesOf, type ContractEvent } from './fetchEvents.ts';
import { roleHashes } from './planDeployment.ts';
import type { RandomnessSource } from './wantedDeployment.ts';

/** Result of comparing a contract's code with this version. */
export type CodeState = 'same' | 'other' | 'none';

/** Announced values that are not yet in effect. */
export interface Announcement {
  what: 'rules' | 'verdictRules' | 'amounts';
  /** Seconds since the epoch. */
  effectiveAt: number;
  values: Readonly<Record<string, unknown>>;
}

/** The on-chain state of a deployment at one block. A value is undefined if its contract does not answer. */
export interface DeployedState {
  block: number;
  /** Timestamp of the block, seconds since the epoch. */
  time: number;
  codes: Readonly<Partial<Record<ContractName, { state: CodeState; hash: Hex }>>>;
  rules: Rules | undefined;
  verdictRules: VerdictRules | undefined;
  daily: bigint | undefined;
  slash: bigint | undefined;
  changeDelay: number | undefined;
  announcements: readonly Announcement[];
  domain: { name: string; version: string; chainId: bigint } | undefined;
  license: { name: unknown; symbol: unknown };
  source: RandomnessSource | undefined;
  /** Contracts that may request random words from the subscription; undefined if the coordinator does not tell. */
  consumers: readonly Hex[] | undefined;
  /** References between the contracts, such as `license.service`. */
  links: Readonly<Partial<Record<LinkName, Hex | undefined>>>;
  /** Owner and pending owner by contract; for the slasher, admin and pending admin. */
  owners: Readonly<Record<string, { owner: Hex | undefined; pending: Hex | undefined }>>;
  roles: Readonly<Record<'tees' | 'slashers' | 'arbiters' | 'proposers' | 'executors' | 'cancellers' | 'timelockAdmins', readonly Hex[]>>;
  /** Seconds; undefined if there is no timelock. */
  timelockDelay: bigint | undefined;
  /** Tokens of the reward pool that are not yet promised to anyone. */
  poolFree: bigint | undefined;
}

const eventNames = {
  settings: ['RulesAnnounced', 'VerdictRulesAnnounced', 'AmountsAnnounced'],
  service: ['TeeChanged'],
  slasher: ['RoleGranted', 'RoleRevoked'],
  timelock: ['RoleGranted', 'RoleRevoked'],
} as const;

/** References between the contracts: the contract and the view that contain each reference, and its target. */
export const links = {
  'license.service': ['license', 'service', 'service'], 'rewardPool.service': ['rewardPool', 'service', 'service'], 'rewardPool.token': ['rewardPool', 'token', 'rewardToken'],
  'randomness.consumer': ['randomness', 'consumer', 'service'], 'service.settings': ['service', 'settings', 'settings'], 'service.license': ['service', 'license', 'license'],
  'service.randomness': ['service', 'randomness', 'randomness'], 'service.rewardPool': ['service', 'rewardPool', 'rewardPool'], 'service.slasher': ['service', 'slasher', 'slasher'],
  'slasher.service': ['slasher', 'service', 'service'],
} as const satisfies Record<string, readonly [contract: ContractName, view: string, target: ContractName]>;

type LinkName = keyof typeof links;
export const linkNames = Object.keys(links) as LinkName[];

const adminRole: Hex = `0x${'00'.repeat(32)}`;

/**
 * Reads the on-chain state of everything in a deployment record.
 * @throws DeploymentFault if the deployment is unfinished; RpcRefused, RpcUnavailable
 */
export async function fetchDeployed(rpc: RpcClient, record: DeploymentRecord, path: string, signal?: AbortSignal): Promise<DeployedState> {
  const { firstBlock } = factsOf(record, path);
  const head = await getBlock(rpc, 'latest', signal);
  if (head === null) throw new DeploymentFault('chain', 'The endpoint returns no newest block. Check VOUCH_CHAIN_RPC_URL.');
  const { contracts } = record;
  const views = viewsOf(contracts);
  const answers = await fetchViews(rpc, contracts, [...views.values()], head.number, signal);
  const named = new Map([...views.keys()].map((name, at) => [name, answers[at]]));
  const answerOf: Answers = (name) => named.get(name);
  const events = await fetchEvents(rpc, contracts, eventNames, { fromBlock: firstBlock, toBlock: head.number }, signal);
  const source = decodeSource(answerOf('source'));
  return {
    block: head.number, time: head.timestamp,
    codes: await fetchCodes(rpc, record, signal),
    rules: answerOf('rules') as Rules | undefined,
    verdictRules: answerOf('verdictRules') as VerdictRules | undefined,
    daily: answerOf('daily') as bigint | undefined,
    slash: answerOf('slash') as bigint | undefined,
    changeDelay: answerOf('changeDelay') as number | undefined,
    announcements: announced(events, answerOf('effectiveTimes'), head.timestamp),
    domain: decodeDomain(answerOf('domain')),
    license: { name: answerOf('licenseName'), symbol: answerOf('licenseSymbol') },
    source,
    consumers: source === undefined ? undefined : await fetchConsumers(rpc, source, head.number, signal),
    links: Object.fromEntries(linkNames.map((link) => [link, address(answerOf(link))])),
    owners: ownersOf(answerOf),
    roles: rolesOf(events),
    timelockDelay: answerOf('delay') as bigint | undefined,
    poolFree: answerOf('poolFree') as bigint | undefined,
  };
}

/** Answers of the views by their names in `viewsOf`. The contract's ABI determines the type. */
type Answers = (name: string) => unknown;

function viewsOf({ timelock }: Contracts): ReadonlyMap<string, View> {
  return new Map(Object.entries<View>({
    rules: { contract: 'settings', name: 'rules' }, verdictRules: { contract: 'settings', name: 'verdictRules' },
    daily: { contract: 'settings', name: 'dailyReward' }, slash: { contract: 'settings', name: 'slashAmount' },
    changeDelay: { contract: 'settings', name: 'changeDelay' }, effectiveTimes: { contract: 'settings', name: 'effectiveTimes' },
    domain: { contract: 'service', name: 'eip712Domain' }, licenseName: { contract: 'license', name: 'name' }, licenseSymbol: { contract: 'license', name: 'symbol' },
    source: { contract: 'randomness', name: 'source' }, poolFree: { contract: 'rewardPool', name: 'available' },
    admin: { contract: 'slasher', name: 'defaultAdmin' }, pendingAdmin: { contract: 'slasher', name: 'pendingDefaultAdmin' },
    ...(timelock === null ? {} : { delay: { contract: 'timelock', name: 'getMinDelay' } }),
    ...Object.fromEntries(ownedContracts.flatMap((contract) => [[`${contract}.owner`, { contract, name: 'owner' }], [`${contract}.pending`, { contract, name: 'pendingOwner' }]])),
    ...Object.fromEntries(Object.entries(links).map(([link, [contract, name]]) => [link, { contract, name }])),
  }));
}

function ownersOf(answerOf: Answers): DeployedState['owners'] {
  return {
    ...Object.fromEntries(ownedContracts.map((name) => [name, { owner: address(answerOf(`${name}.owner`)), pending: address(answerOf(`${name}.pending`)) }])),
    slasher: { owner: address(answerOf('admin')), pending: address((answerOf('pendingAdmin') as readonly unknown[] | undefined)?.[0]) },
  };
}

function rolesOf(events: readonly ContractEvent[]): DeployedState['roles'] {
  return {
    tees: teesOf(events), slashers: holdersOf(events, 'slasher', roleHashes.slasher), arbiters: holdersOf(events, 'slasher', roleHashes.arbiter),
    proposers: holdersOf(events, 'timelock', roleHashes.proposer), executors: holdersOf(events, 'timelock', roleHashes.executor),
    cancellers: holdersOf(events, 'timelock', roleHashes.canceller), timelockAdmins: holdersOf(events, 'timelock', adminRole),
  };
}

/** Compares the contracts' code. For a reward token that existed before the deployment, only checks that code exists. */
async function fetchCodes(rpc: RpcClient, { contracts, steps }: DeploymentRecord, signal?: AbortSignal): Promise<DeployedState['codes']> {
  const made = new Set(steps.flatMap(({ creates }) => creates?.contract ?? []));
  const codes = await Promise.all(contractNames.flatMap((name) => {
    const at = contracts[name];
    return at === null ? [] : [getCode(rpc, at, signal).then((code) => [name, code] as const)];
  }));
  return Object.fromEntries(codes.map(([name, code]) => [name, { state: codeState(name, code, made.has(name)), hash: keccak256(code) }]));
}

function codeState(name: ContractName, code: Hex, isOurs: boolean): CodeState {
  if (code === '0x') return 'none';
  const kept = keptCode(name);
  return !isOurs || (code.length === kept.length && maskImmutables(name, code) === kept) ? 'same' : 'other';
}

/** Returns the last announcement of each kind that is not yet in effect. */
function announced(events: readonly ContractEvent[], times: unknown, now: number): Announcement[] {
  const [rules = 0n, verdictRules = 0n, amounts = 0n] = (times ?? []) as bigint[];
  const kinds = [['rules', 'RulesAnnounced', rules], ['verdictRules', 'VerdictRulesAnnounced', verdictRules], ['amounts', 'AmountsAnnounced', amounts]] as const;
  return kinds.flatMap(([what, name, effectiveAt]) => {
    const event = events.findLast((each) => each.name === name);
    if (event === undefined || effectiveAt <= BigInt(now)) return [];
    const { dailyReward: daily, slashAmount: slash } = event.args;
    const values = what === 'amounts' ? { daily, slash } : (event.args['rules'] as Record<string, unknown>);
    return [{ what, effectiveAt: Number(effectiveAt), values }];
  });
}

function decodeDomain(answer: unknown): DeployedState['domain'] {
  if (!Array.isArray(answer)) return undefined;
  const [, name, version, chainId] = answer as [unknown, string, string, bigint];
  return { name, version, chainId };
}

function decodeSource(answer: unknown): RandomnessSource | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { subscriptionID, coordinator, ...rest } = answer as Omit<RandomnessSource, 'subscriptionId'> & { subscriptionID: bigint };
  return { ...rest, coordinator: address(coordinator) as Hex, subscriptionId: subscriptionID };
}

async function fetchConsumers(rpc: RpcClient, { coordinator, subscriptionId }: RandomnessSource, block: number, signal?: AbortSignal): Promise<readonly Hex[] | undefined> {
  const data = encodeFunctionData({ abi: localCoordinatorAbi, functionName: 'getSubscription', args: [subscriptionId] });
  const [outcome] = await rpc.batch([{ method: 'eth_call', params: [{ to: coordinator, data }, `0x${block.toString(16)}`] }], signal);
  if (outcome?.ok !== true) return undefined;
  try {
    const [, , , , consumers] = decodeFunctionResult({ abi: localCoordinatorAbi, functionName: 'getSubscription', data: parseBytes(outcome.result) });
    return consumers.map((consumer) => consumer.toLowerCase() as Hex);
  } catch {
    return undefined;
  }
}

function address(value: unknown): Hex | undefined {
  return typeof value === 'string' ? (value.toLowerCase() as Hex) : undefined;
}
