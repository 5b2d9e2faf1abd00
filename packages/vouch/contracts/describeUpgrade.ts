import type { DeploymentRecord } from '@vouch/chain/contracts/deployment/deploymentRecord';
import type { NewDeployment, OwnerAction, ScheduledOperation, UpgradePlan } from '@vouch/chain/contracts/deployment/planUpgrade';
import { showTime } from '@vouch/chain/contracts/deployment/showTime';
import { showAddress } from '@vouch/chain/messages/showAddress';
import { formatTable } from '../terminal/table.ts';

/** Formats an upgrade plan for people, with call data to copy. */
export function describeUpgrade({ differences, changes, newDeployment }: UpgradePlan, record: DeploymentRecord): string {
  const parts = [
    ...(differences.length === 0 ? [] : [formatTable('Code', ['contract', 'deployed', 'functions and events'], differences.map(({ contract, code, added, removed }) =>
      [contract, code === 'none' ? 'no contract' : 'another version', `${added.length} added, ${removed.length} removed`]))]),
    ...differences.flatMap(({ contract, added, removed }) => [...added.map((text) => `  ${contract} + ${text}`), ...removed.map((text) => `  ${contract} - ${text}`)].join('\n') || []),
    ...(changes.waiting.length === 0 ? [] : [list('Takes effect without a call:', changes.waiting)]),
    ...(changes.calls.length === 0 ? [] : [describeAction('Calls that change the deployment to match the file', changes, record)]),
    ...(newDeployment === null ? [] : [describeNew(newDeployment, record)]),
  ];
  return parts.length === 0 ? 'The deployment has this version and matches the file: nothing to do.' : parts.join('\n\n');
}

function describeAction(title: string, { calls, operation }: OwnerAction, { owner }: DeploymentRecord): string {
  const table = formatTable(title, ['', 'call', 'counts'], calls.map(({ name, effect }, at) => [at + 1, name, effect]));
  if (operation !== null) return `${table}\n\n${describeOperation(operation)}`;
  const data = calls.flatMap(({ to, data: bytes }, at) => [`  ${at + 1}. to   ${showAddress(to)}`, `     data ${bytes}`]);
  return [table, '', `${showAddress(owner)} sends:`, ...data].join('\n');
}

function describeOperation({ state, timelock, schedule, execute, executableAt, delaySeconds, id }: ScheduledOperation): string {
  const scheduling = [`1. A proposer sends, to schedule the operation ${id}:`, `  to   ${showAddress(timelock)}`, `  data ${schedule}`];
  const when = executableAt === null ? `${delaySeconds} s later` : state === 'ready' ? 'now' : `after ${showTime(executableAt)}`;
  const executing = [`2. An executor sends, ${when}:`, `  to   ${showAddress(timelock)}`, `  data ${execute}`];
  return (state === 'unscheduled' ? [...scheduling, ...executing] : [`1. The operation ${id} is scheduled.`, ...executing]).join('\n');
}

function describeNew({ because, lost, holders, retire }: NewDeployment, record: DeploymentRecord): string {
  return [
    list('A new deployment is required, because deployed contracts cannot be changed:', because),
    list('State that the new contracts do not take over:', lost),
    ...(holders.length === 0 ? [] : [formatTable('Holders of licenses', ['holder', 'licenses'], holders.map(({ address, licenses }) => [showAddress(address), licenses]))]),
    list('Steps:', [
      'Copy the deployment file, change domain.version in the copy, and deploy the copy: vouch contracts deploy with another --record.',
      'Have the owner of the new deployment mint the licenses: License.mint(holder, count).',
      'Start a gateway for the new deployment in addition to the old gateway, and have operators point their nodes to the new gateway and enter.',
      'Retire the old deployment with the calls below, then stop the old gateway after its last reports are confirmed.',
    ]),
    describeAction('Calls that retire the old deployment', retire, record),
  ].join('\n\n');
}

function list(title: string, items: readonly string[]): string {
  return [title, ...items.map((item) => `  - ${item}`)].join('\n');
}
