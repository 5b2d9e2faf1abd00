import type { Hex } from '../../messages/operation.ts';
import { contractNames } from './contractNames.ts';
import type { DeploymentRecord } from './deploymentRecord.ts';
import { linkNames, links, type DeployedState } from './fetchDeployed.ts';
import { showTime } from './showTime.ts';
import type { WantedDeployment } from './wantedDeployment.ts';
import { zeroAddress } from '../../messages/zeroAddress.ts';

/** One compared fact. A `note` is not a difference: it reports a pending announcement or operation. */
export interface Comparison {
  subject: string;
  expected: string;
  found: string;
  status: 'same' | 'differs' | 'note';
}

const noAnswer = '(no answer)';

/**
 * Compares the chain's state with the deployment record and the wanted deployment.
 * @param wanted the file of the original deployment, or the operator's current file
 */
export function compareDeployment(state: DeployedState, record: DeploymentRecord, wanted: WantedDeployment): Comparison[] {
  return [
    ...compareCodes(state, record),
    ...compareLinks(state, record),
    ...compareOwners(state, record),
    ...compareRoles(state, record, wanted),
    ...compareValues(state, wanted),
    compareConsumers(state, record),
    ...state.announcements.map(({ what, effectiveAt, values }): Comparison => ({
      subject: `announced: ${what}`, expected: '', found: `${Object.entries(values).map(([name, value]) => `${name} ${String(value)}`).join(', ')} from ${showTime(effectiveAt)}`, status: 'note',
    })),
  ];
}

function compareCodes({ codes }: DeployedState, { contracts }: DeploymentRecord): Comparison[] {
  const said = { same: 'as in this version', other: 'of another version', none: 'no contract' };
  return contractNames.flatMap((name) => {
    const code = codes[name];
    return code === undefined ? [] : [compare(`code of ${name}, ${contracts[name]}`, said.same, said[code.state])];
  });
}

function compareLinks({ links: found }: DeployedState, { contracts }: DeploymentRecord): Comparison[] {
  return linkNames.map((link) => {
    const [, , target] = links[link];
    return compare(link, contracts[target], found[link]);
  });
}

function compareOwners({ owners }: DeployedState, { owner }: DeploymentRecord): Comparison[] {
  return Object.entries(owners).flatMap(([name, now]) => {
    const waits = now.owner !== owner && now.pending === owner;
    const found = waits ? `${now.owner}; ${owner} has not accepted yet` : now.owner;
    const pending = now.pending === undefined || now.pending === zeroAddress || now.pending === owner ? [] : [compare(`pending owner of ${name}`, 'none', now.pending)];
    return [compare(name === 'slasher' ? 'admin of slasher' : `owner of ${name}`, owner, found), ...pending];
  });
}

function compareRoles({ roles, timelockDelay }: DeployedState, { contracts }: DeploymentRecord, wanted: WantedDeployment): Comparison[] {
  const list = (subject: string, expected: readonly Hex[], found: readonly Hex[]): Comparison => compare(subject, showList(expected), showList(found));
  const { timelock } = wanted;
  return [
    list('roles.tees', wanted.roles.tees, roles.tees), list('roles.slashers', wanted.roles.slashers, roles.slashers), list('roles.arbiters', wanted.roles.arbiters, roles.arbiters),
    ...(timelock === null ? [] : [
      list('timelock.proposers', timelock.proposers, roles.proposers), list('timelock.proposers, to cancel', timelock.proposers, roles.cancellers),
      list('timelock.executors', timelock.executors, roles.executors), list('admins of the timelock', contracts.timelock === null ? [] : [contracts.timelock], roles.timelockAdmins),
      compare('timelock.delay', timelock.delaySeconds, timelockDelay),
    ]),
  ];
}

function compareValues(state: DeployedState, wanted: WantedDeployment): Comparison[] {
  const fields = (prefix: string, expected: object, found: object | undefined): Comparison[] =>
    Object.entries(expected).map(([name, value]) => compare(`${prefix}.${snakeCase(name)}`, value, (found as Record<string, unknown> | undefined)?.[name]));
  return [
    compare('chain_id', wanted.chainId, state.domain?.chainId),
    compare('domain.name', wanted.domain.name, state.domain?.name), compare('domain.version', wanted.domain.version, state.domain?.version),
    compare('license.name', wanted.license.name, state.license.name), compare('license.symbol', wanted.license.symbol, state.license.symbol),
    ...fields('settings', wanted.rules, state.rules), ...fields('settings', wanted.verdictRules, state.verdictRules),
    compare('settings.change_delay', wanted.changeDelay, state.changeDelay),
    compare('rewards.daily', wanted.rewards.daily, state.daily), compare('rewards.slash', wanted.rewards.slash, state.slash),
    ...fields('randomness', wanted.randomness, state.source),
  ];
}

/** Subject of the comparison with the coordinator's subscription, which the owner of the deployment cannot change. */
export const subscriptionSubject = 'randomness in the subscription';

function compareConsumers({ consumers }: DeployedState, { contracts }: DeploymentRecord): Comparison {
  const expected = 'a consumer of the subscription';
  return compare(subscriptionSubject, expected, consumers?.includes(contracts.randomness) === true ? expected : consumers === undefined ? undefined : 'not a consumer: the owner of the subscription must add the contract');
}

function compare(subject: string, expected: unknown, found: unknown): Comparison {
  const [wanted, there] = [String(expected), found === undefined ? noAnswer : String(found)];
  return { subject, expected: wanted, found: there, status: wanted === there ? 'same' : 'differs' };
}

function showList(addresses: readonly Hex[]): string {
  return addresses.length === 0 ? 'none' : [...new Set(addresses)].sort().join(' ');
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
