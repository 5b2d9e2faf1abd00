import type { DeploymentRecord } from '@vouch/chain/contracts/deployment/deploymentRecord';
import type { DeploymentPlan, OwnerCall } from '@vouch/chain/contracts/deployment/planDeployment';
import { showEther, showGwei } from '@vouch/chain/contracts/deployment/showAmount';
import type { Hex } from '@vouch/chain/messages/operation';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { formatTable } from '../terminal/table.ts';
import type { PreparedDeployment } from './preparedDeployment.ts';

/** Formats a plan for people: checks, transactions with their gas, Ethereum addresses, and the owner of each contract. */
export function describePlan({ path, plan, record, findings, cost }: PreparedDeployment): string {
  const done = record.steps.filter(({ mined }) => mined !== null).length;
  const gas = gasOfSteps(record, cost?.gas?.gas ?? []);
  const tables = [
    describeFindings(findings),
    formatTable('Transactions', ['', 'transaction', 'gas', 'state'], record.steps.map(({ name, mined }, at) => [at + 1, name, gas[at] ?? '', mined === null ? '' : `block ${mined.block}`])),
    formatTable('Contracts', ['contract', 'address', 'owner afterwards'], contractRows(plan)),
    ...(plan.ownerCalls.length === 0 ? [] : [describeOwnerCalls(plan.ownerCalls, plan.owner)]),
  ];
  const price = cost === null || cost.gas === null ? 'The cost is unknown: see the checks.'
    : `${sum(cost.gas.gas)} gas${cost.gas.kind === 'computed' ? ' (computed)' : ''} at ${showGwei(cost.fees.neededWei)} gwei: ${showEther(sum(cost.gas.gas) * cost.fees.neededWei)}, and at most ${showEther(cost.wei)} of the chain's coin.`;
  const begun = done === 0 ? 'Nothing was sent.' : `${done} of ${record.steps.length} transactions are on the chain.`;
  return [...tables, price, `${begun} --send ${done === 0 ? 'deploys the contracts' : 'continues'}, and keeps its record in ${path}.`].join('\n\n');
}

/** Lines instead of a table, because a table would shorten the instructions. */
function describeFindings(findings: PreparedDeployment['findings']): string {
  return ['Checks', ...findings.map(({ status, name, detail }) => `${status.padEnd(7)}  ${name.padEnd(12)}  ${detail}`)].join('\n');
}

/** Gas per step: the gas used by mined steps, the estimate for the other steps. */
function gasOfSteps({ steps }: DeploymentRecord, estimated: readonly bigint[]): (string | undefined)[] {
  const left = [...estimated];
  return steps.map(({ mined }) => (mined === null ? left.shift() : mined.gasUsed)?.toString());
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function contractRows({ contracts, owner, ownerCalls }: DeploymentPlan): string[][] {
  const owned = new Set(['settings', 'license', 'rewardPool', 'randomness', 'service']);
  const who = `${showAddress(owner)}${ownerCalls.length > 0 ? ', once accepted' : ''}`;
  return Object.entries(contracts).filter((entry): entry is [string, Hex] => entry[1] !== null).map(([name, address]) =>
    [name, showAddress(address), owned.has(name) ? who : name === 'slasher' ? `${showAddress(owner)}, as its admin` : name === 'timelock' ? 'itself' : 'nobody']);
}

/** Calls that the owner has to send before it owns all contracts. */
function describeOwnerCalls(calls: readonly OwnerCall[], owner: Hex): string {
  const lines = calls.flatMap(({ name, to, data }) => [`  ${name}`, `    to   ${showAddress(to)}`, `    data ${data}`]);
  return [`${showAddress(owner)} must then send these calls:`, ...lines].join('\n');
}

/**
 * Summarizes a complete deployment and lists the remaining tasks.
 * @param plan null if the deployment was already complete before this command
 */
export function describeComplete(record: DeploymentRecord, path: string, plan: DeploymentPlan | null): string {
  const { contracts, steps } = record;
  const gas = sum(steps.map(({ mined }) => mined?.gasUsed ?? 0n));
  const wei = sum(steps.map(({ mined }) => mined?.feeWei ?? 0n));
  const rows = Object.entries(contracts).filter((entry): entry is [string, Hex] => entry[1] !== null).map(([name, address]) => [name, showAddress(address)]);
  return [
    formatTable(`The deployment is complete: ${steps.length} transactions, ${gas} gas, ${showEther(wei)} of the chain's coin`, ['contract', 'address'], rows),
    ...(plan === null || plan.ownerCalls.length === 0 ? [] : [describeOwnerCalls(plan.ownerCalls, plan.owner)]),
    `Next steps:
  - Add ${showAddress(contracts.randomness)} to the consumers of the randomness subscription.
  - Send reward tokens to the pool, ${showAddress(contracts.rewardPool)}, unless the pool has them already.
  - Set VOUCH_DEPLOYMENT=${path} for gateways and contract.deployment: ${path} for nodes.
  - vouch contracts verify ${path}`,
  ].join('\n\n');
}
