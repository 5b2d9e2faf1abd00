import type { Hex } from '../../messages/operation.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { interfaceOf } from './contractList.ts';
import type { ContractName, Contracts } from './contractNames.ts';
import { DeploymentFault } from './deploymentFault.ts';
import type { DeploymentRecord } from './deploymentRecord.ts';
import { planChanges, type Change, type Changes } from './planChanges.ts';
import { callOf } from './planDeployment.ts';
import type { CodeState, DeployedState } from './fetchDeployed.ts';
import { fetchHolders, type LicenseHolder } from './fetchHolders.ts';
import { fetchViews } from './fetchViews.ts';
import { timelockOperation, type TimelockOperation } from './timelockOperation.ts';
import type { WantedDeployment } from './wantedDeployment.ts';

/** A contract whose code differs from this version. */
interface CodeDifference {
  contract: ContractName;
  code: CodeState;
  /** Functions and events that only this version has (`added`) or only the deployed contract has (`removed`). */
  added: readonly string[];
  removed: readonly string[];
}

/** Calls through a timelock, with their progress. */
export interface ScheduledOperation extends TimelockOperation {
  state: 'unscheduled' | 'waiting' | 'ready';
  /** Seconds since the epoch; null if not scheduled. */
  executableAt: number | null;
  delaySeconds: number;
}

/** Calls by the owner: individually, or together as a timelock operation. */
export interface OwnerAction {
  calls: readonly Change[];
  operation: ScheduledOperation | null;
}

/** Steps for moving to this version's contracts: Vouch's contracts cannot be upgraded in place. */
export interface NewDeployment {
  because: readonly string[];
  /** State of the old contracts that the new contracts will not have. */
  lost: readonly string[];
  /** Accounts for which the new license contract must mint. */
  holders: readonly LicenseHolder[];
  /** Calls by the owner that retire the old contracts. */
  retire: OwnerAction;
}

export interface UpgradePlan {
  differences: readonly CodeDifference[];
  changes: Pick<Changes, 'waiting' | 'fixed'> & OwnerAction;
  newDeployment: NewDeployment | null;
}

/**
 * Plans the changes that bring a deployment to this version and to the operator's file.
 * @throws DeploymentFault, RpcRefused, RpcUnavailable
 */
export async function planUpgrade(rpc: RpcClient, state: DeployedState, record: DeploymentRecord, wanted: WantedDeployment, signal?: AbortSignal): Promise<UpgradePlan> {
  const differences = findDifferences(state, record);
  const { calls, waiting, fixed } = planChanges(state, record, wanted);
  const because = [...differences.map(({ contract, code }) => (code === 'none' ? `there is no contract at the address of ${contract}` : `the code of ${contract} differs from this version`)), ...fixed];
  return {
    differences,
    changes: { waiting, fixed, ...await actionOf(rpc, state, record, calls, signal) },
    newDeployment: because.length === 0 ? null : {
      because,
      lost: describeLost(state),
      holders: await fetchHolders(rpc, record.contracts.license, state.block, signal),
      retire: await actionOf(rpc, state, record, retireCalls(state, record), signal),
    },
  };
}

function findDifferences({ codes }: DeployedState, { interfaces }: DeploymentRecord): CodeDifference[] {
  return (Object.entries(codes) as [ContractName, { state: CodeState }][]).filter(([, { state }]) => state !== 'same').map(([contract, { state }]) => {
    const [now, then] = [new Set(interfaces[contract] ?? []), interfaceOf(contract)];
    return { contract, code: state, added: then.filter((each) => !now.has(each)), removed: [...now].filter((each) => !then.includes(each)) };
  });
}

/** Calls that retire a service: no new attestations, and no further rewards. */
function retireCalls({ roles, slash = 0n }: DeployedState, { contracts: at }: DeploymentRecord): Change[] {
  return [
    ...roles.tees.map((tee) => ({ ...callOf(at, 'service', 'setTee', [tee, false], `${tee}, false`), effect: 'immediately: no new attestations' })),
    { ...callOf(at, 'settings', 'setAmounts', [0n, slash], `0, ${slash}`), effect: 'after the delay of the settings: days that begin afterwards earn nothing' },
  ];
}

function describeLost({ poolFree }: DeployedState): string[] {
  return [
    'Licenses: a license contract serves only one service. Mint new licenses for the holders below.',
    'Nodes: their membership, commission, claimer, missed reports and delegations. Each node enters again, and each holder delegates again.',
    'Attestations, votes and verdicts: readable at the old service.',
    'Unclaimed rewards: claimable at the old service.',
    `The reward pool: it pays only reserved rewards and cannot be emptied. ${poolFree === undefined ? 'The rest' : `The rest, ${poolFree} of the smallest unit,`} stays in the pool.`,
    'Signed messages: with another domain.version, old messages are not valid in the new service.',
  ];
}

async function actionOf(rpc: RpcClient, state: DeployedState, { contracts }: DeploymentRecord, calls: readonly Change[], signal?: AbortSignal): Promise<OwnerAction> {
  const { timelock } = contracts;
  return { calls, operation: timelock === null || calls.length === 0 ? null : await findOperation(rpc, state, { ...contracts, timelock }, calls, signal) };
}

const done = 1n;
/** Maximum number of operations with the same calls; each repetition needs a different salt. */
const repetitionsMax = 1_000;

/** Finds the pending or ready operation with these calls; if there is none, returns one that was never scheduled. */
async function findOperation(
  rpc: RpcClient, { timelockDelay = 0n, time, block }: DeployedState, contracts: Contracts & { timelock: Hex }, calls: readonly Change[], signal?: AbortSignal,
): Promise<ScheduledOperation> {
  const { timelock } = contracts;
  for (let repetition = 0; repetition < repetitionsMax; repetition++) {
    const operation = timelockOperation(timelock, calls, timelockDelay, repetition);
    const [answer] = await fetchViews(rpc, contracts, [{ contract: 'timelock', name: 'getTimestamp', args: [operation.id] }], block, signal);
    if (typeof answer !== 'bigint') throw new DeploymentFault('state', `The timelock ${timelock} does not answer. vouch contracts verify diagnoses the problem.`);
    if (answer === done) continue;
    const state = answer === 0n ? 'unscheduled' : answer > BigInt(time) ? 'waiting' : 'ready';
    return { ...operation, state, executableAt: answer === 0n ? null : Number(answer), delaySeconds: Number(timelockDelay) };
  }
  throw new DeploymentFault('state', `The timelock ${timelock} already made the same calls ${repetitionsMax} times.`);
}
