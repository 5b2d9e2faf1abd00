import { encodeFunctionData, getContractAddress, keccak256, toBytes, type Abi } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import { artifacts, creationData, ownedContracts } from './contractList.ts';
import { contractNames, type ContractName, type Contracts } from './contractNames.ts';
import { timelockOperation } from './timelockOperation.ts';
import type { WantedDeployment } from './wantedDeployment.ts';
import { zeroAddress } from '../../messages/zeroAddress.ts';

/** A transaction of the deployer. */
export interface Step {
  /** Unique name within the plan, for display: `make settings`, `license.setService(service)`. */
  name: string;
  /** Null if the step creates the contract `creates`. */
  to: Hex | null;
  data: Hex;
  creates: ContractName | null;
}

/** A call that only the owner of the contracts can make. */
export interface OwnerCall {
  name: string;
  to: Hex;
  data: Hex;
}

export interface DeploymentPlan {
  deployer: Hex;
  /** Nonce of the first step; the addresses are computed from it. */
  firstNonce: number;
  /** Ethereum addresses that the contracts will have. */
  contracts: Contracts;
  /** Owner of the contracts after the deployment. */
  owner: Hex;
  /** Steps in the order of their nonces; steps that create contracts come first. */
  steps: readonly Step[];
  /** Calls that `owner` must make to accept the ownership; empty if the owner is a timelock or the deployer. */
  ownerCalls: readonly OwnerCall[];
}

export const roleHashes = {
  slasher: keccak256(toBytes('SLASHER_ROLE')), arbiter: keccak256(toBytes('ARBITER_ROLE')),
  proposer: keccak256(toBytes('PROPOSER_ROLE')), executor: keccak256(toBytes('EXECUTOR_ROLE')), canceller: keccak256(toBytes('CANCELLER_ROLE')),
} as const;

/**
 * Plans all transactions of a deployment.
 *
 * A timelock starts without delay and with the deployer among its proposers and executors. The last two transactions schedule and execute
 * one atomic operation: the timelock accepts the ownership of all contracts, removes the deployer's roles and sets its delay.
 */
export function planDeployment(wanted: WantedDeployment, deployer: Hex, firstNonce: number): DeploymentPlan {
  const made = contractsToMake(wanted);
  const addressOf = (name: ContractName): Hex =>
    getContractAddress({ from: deployer, nonce: BigInt(firstNonce + made.indexOf(name)) }).toLowerCase() as Hex;
  const contracts: Contracts = {
    timelock: wanted.timelock === null ? null : addressOf('timelock'),
    rewardToken: wanted.rewardToken.kind === 'existing' ? wanted.rewardToken.address : addressOf('rewardToken'),
    settings: addressOf('settings'), license: addressOf('license'), rewardPool: addressOf('rewardPool'), randomness: addressOf('randomness'),
    service: addressOf('service'), slasher: addressOf('slasher'),
  };
  const owner = contracts.timelock ?? wanted.owner;
  const creations = made.map((name): Step => ({ name: `make ${name}`, to: null, creates: name, data: creationData(name, constructorArguments(name, wanted, contracts, deployer)) }));
  const acceptances = owner === deployer ? [] : acceptCalls(contracts);
  const grants = grantCalls(contracts, wanted);
  const byDeployer = owner === deployer ? grants : handOver(contracts, owner);
  const { timelock } = contracts;
  const byTimelock = wanted.timelock === null || timelock === null ? [] : closeTimelock({ ...contracts, timelock }, wanted.timelock.delaySeconds, deployer, [...acceptances, ...grants]);
  const steps = [...creations, ...[...introductions(contracts, wanted), ...byDeployer, ...byTimelock].map((call): Step => ({ ...call, creates: null }))];
  const ownerCalls = timelock !== null || owner === deployer ? [] : [...acceptances, ...grants];
  return { deployer, firstNonce, contracts, owner, steps, ownerCalls };
}

function contractsToMake({ timelock, rewardToken }: WantedDeployment): ContractName[] {
  return contractNames.filter((name) =>
    (name !== 'timelock' || timelock !== null) && (name !== 'rewardToken' || rewardToken.kind === 'new'));
}

function constructorArguments(name: ContractName, wanted: WantedDeployment, at: Contracts, deployer: Hex): readonly unknown[] {
  const { timelock, rewardToken, license, domain, rewards } = wanted;
  switch (name) {
    case 'timelock': return [0n, [...(timelock?.proposers ?? []), deployer], [...(timelock?.executors ?? []), deployer], zeroAddress];
    case 'rewardToken': return rewardToken.kind === 'existing' ? [] : [rewardToken.name, rewardToken.symbol, rewardToken.holder === 'pool' ? at.rewardPool : rewardToken.holder, rewardToken.supply];
    case 'settings': return [wanted.rules, wanted.verdictRules, rewards.daily, rewards.slash, wanted.changeDelay];
    case 'license': return [license.name, license.symbol];
    case 'rewardPool': return [at.rewardToken];
    case 'randomness': return [sourceArgument(wanted.randomness)];
    case 'service': return [at.settings, at.license, at.randomness, at.rewardPool, domain.name, domain.version];
    case 'slasher': return [at.service, at.timelock ?? wanted.owner, wanted.changeDelay];
  }
}

/** Converts the source of random words to the field names of its contract. */
export function sourceArgument({ subscriptionId, ...rest }: WantedDeployment['randomness']): object {
  return { ...rest, subscriptionID: subscriptionId };
}

/** Calls that connect the contracts. */
function introductions(at: Contracts, { roles }: WantedDeployment): OwnerCall[] {
  return [
    callOf(at, 'license', 'setService', [at.service], 'service'),
    callOf(at, 'rewardPool', 'setService', [at.service], 'service'),
    callOf(at, 'randomness', 'setConsumer', [at.service], 'service'),
    callOf(at, 'service', 'setSlasher', [at.slasher], 'slasher'),
    ...roles.tees.map((tee) => callOf(at, 'service', 'setTee', [tee, true], tee)),
  ];
}

function handOver(at: Contracts, owner: Hex): OwnerCall[] {
  return ownedContracts.map((name) => callOf(at, name, 'transferOwnership', [owner], owner));
}

function acceptCalls(at: Contracts): OwnerCall[] {
  return ownedContracts.map((name) => callOf(at, name, 'acceptOwnership', [], ''));
}

function grantCalls(at: Contracts, { roles }: WantedDeployment): OwnerCall[] {
  const grants = (role: 'slasher' | 'arbiter', holders: readonly Hex[]): OwnerCall[] =>
    holders.map((holder) => callOf(at, 'slasher', 'grantRole', [roleHashes[role], holder], `${role}, ${holder}`));
  return [...grants('slasher', roles.slashers), ...grants('arbiter', roles.arbiters)];
}

/** Calls for the timelock's first operation, which runs without delay and removes the deployer from the timelock. */
function closeTimelock(at: Contracts & { timelock: Hex }, delaySeconds: number, deployer: Hex, calls: readonly OwnerCall[]): OwnerCall[] {
  const operation = timelockOperation(at.timelock, [
    ...calls,
    ...(['proposer', 'canceller', 'executor'] as const).map((role) => callOf(at, 'timelock', 'revokeRole', [roleHashes[role], deployer], `${role}, deployer`)),
    callOf(at, 'timelock', 'updateDelay', [BigInt(delaySeconds)], String(delaySeconds)),
  ], 0n);
  return [
    { name: 'timelock.scheduleBatch(take over)', to: at.timelock, data: operation.schedule },
    { name: 'timelock.executeBatch(take over)', to: at.timelock, data: operation.execute },
  ];
}

/**
 * Builds a call of a contract in the deployment.
 * @param shown the arguments, for display
 * @throws Error if `contract` is the timelock and the deployment has none
 */
export function callOf(at: Contracts, contract: ContractName, functionName: string, args: readonly unknown[], shown: string): OwnerCall {
  const abi: Abi = artifacts[contract].abi;
  const to = at[contract];
  if (to === null) throw new Error(`the deployment has no ${contract}`);
  return { name: `${contract}.${functionName}(${shown})`, to, data: encodeFunctionData({ abi, functionName, args }) };
}
