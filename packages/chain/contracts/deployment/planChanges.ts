import type { Hex } from '../../messages/operation.ts';
import { ownedContracts } from './contractList.ts';
import type { Contracts } from './contractNames.ts';
import type { Rules } from '../rules.ts';
import type { DeploymentRecord } from './deploymentRecord.ts';
import { callOf, roleHashes, sourceArgument, type OwnerCall } from './planDeployment.ts';
import type { Announcement, DeployedState } from './fetchDeployed.ts';
import { showTime } from './showTime.ts';
import type { WantedDeployment } from './wantedDeployment.ts';

/** A call by the owner that changes the deployment towards the wanted state. */
export interface Change extends OwnerCall {
  /** When the change takes effect, relative to its execution. */
  effect: string;
}

export interface Changes {
  calls: readonly Change[];
  /** Pending announcements that take effect without a call. */
  waiting: readonly string[];
  /** Differences that no call can change. */
  fixed: readonly string[];
}

/** Plans the owner's calls that change a deployment to the operator's file. */
export function planChanges(state: DeployedState, record: DeploymentRecord, wanted: WantedDeployment): Changes {
  const at = record.contracts;
  const settings = planSettings(state, at, wanted);
  const calls = [...planAcceptances(state, record, at), ...settings.calls, ...planSource(state, at, wanted), ...planRoles(state, at, wanted), ...planTimelock(state, at, wanted)];
  return { calls, waiting: settings.waiting, fixed: findFixed(state, wanted) };
}

const atOnce = 'immediately';

/** Calls that complete pending transfers of ownership. */
function planAcceptances({ owners }: DeployedState, { owner }: DeploymentRecord, at: Contracts): Change[] {
  const waits = (name: string): boolean => owners[name]?.owner !== owner && owners[name]?.pending === owner;
  return [
    ...ownedContracts.filter(waits).map((name): Change => ({ ...callOf(at, name, 'acceptOwnership', [], ''), effect: atOnce })),
    ...(waits('slasher') ? [{ ...callOf(at, 'slasher', 'acceptDefaultAdminTransfer', [], ''), effect: atOnce }] : []),
  ];
}

function planSettings(state: DeployedState, at: Contracts, wanted: WantedDeployment): { calls: Change[]; waiting: string[] } {
  const { verdictRules, rewards } = wanted;
  const rules = changeableRules(wanted.rules, state.rules);
  const parts = [
    { what: 'rules', wanted: rules, now: state.rules, call: () => callOf(at, 'settings', 'setRules', [rules], differing(rules, state.rules)) },
    { what: 'verdictRules', wanted: verdictRules, now: state.verdictRules, call: () => callOf(at, 'settings', 'setVerdictRules', [verdictRules], differing(verdictRules, state.verdictRules)) },
    {
      what: 'amounts', wanted: rewards, now: { daily: state.daily, slash: state.slash },
      call: () => callOf(at, 'settings', 'setAmounts', [rewards.daily, rewards.slash], `${rewards.daily}, ${rewards.slash}`),
    },
  ] as const;
  const effect = (state.changeDelay ?? 0) === 0 ? atOnce : `${state.changeDelay} s after its execution: the call announces`;
  const calls: Change[] = [];
  const waiting: string[] = [];
  for (const part of parts) {
    const announcement = state.announcements.find(({ what }) => what === part.what);
    if (announcement !== undefined && isEqual(part.wanted, announcement.values)) waiting.push(describeAnnouncement(announcement));
    // Announcing the current values again cancels another pending announcement.
    else if (announcement !== undefined || !isEqual(part.wanted, part.now)) calls.push({ ...part.call(), effect });
  }
  return { calls, waiting };
}

/** The wanted rules without what the contract refuses: a call with another length of the day reverts, and all calls of its operation with it. */
function changeableRules(wanted: Rules, now: Rules | undefined): Rules {
  if (now === undefined) return wanted;
  return { ...wanted, dayLength: now.dayLength, ...(wanted.minOnline < now.dayLength ? {} : { minOnline: now.minOnline }) };
}

function describeAnnouncement({ what, effectiveAt }: Announcement): string {
  return `${what}: already announced, in force from ${showTime(effectiveAt)}`;
}

function planSource({ source }: DeployedState, at: Contracts, { randomness }: WantedDeployment): Change[] {
  if (isEqual(randomness, source)) return [];
  return [{ ...callOf(at, 'randomness', 'setSource', [sourceArgument(randomness)], differing(randomness, source)), effect: 'with the next request; pending requests of another coordinator can be requested again' }];
}

function planRoles({ roles }: DeployedState, at: Contracts, wanted: WantedDeployment): Change[] {
  const tees = setOf(roles.tees, wanted.roles.tees, (tee, allowed) => callOf(at, 'service', 'setTee', [tee, allowed], `${tee}, ${allowed}`));
  const role = (name: 'slasher' | 'arbiter', now: readonly Hex[], then: readonly Hex[]): Change[] =>
    setOf(now, then, (holder, allowed) => callOf(at, 'slasher', allowed ? 'grantRole' : 'revokeRole', [roleHashes[name], holder], `${name}, ${holder}`));
  return [...tees, ...role('slasher', roles.slashers, wanted.roles.slashers), ...role('arbiter', roles.arbiters, wanted.roles.arbiters)];
}

function planTimelock({ roles, timelockDelay }: DeployedState, at: Contracts, { timelock }: WantedDeployment): Change[] {
  if (timelock === null || at.timelock === null) return [];
  const role = (name: 'proposer' | 'canceller' | 'executor', now: readonly Hex[], then: readonly Hex[]): Change[] =>
    setOf(now, then, (holder, allowed) => callOf(at, 'timelock', allowed ? 'grantRole' : 'revokeRole', [roleHashes[name], holder], `${name}, ${holder}`));
  return [
    ...role('proposer', roles.proposers, timelock.proposers), ...role('canceller', roles.cancellers, timelock.proposers), ...role('executor', roles.executors, timelock.executors),
    ...(timelockDelay === BigInt(timelock.delaySeconds) ? [] : [{ ...callOf(at, 'timelock', 'updateDelay', [BigInt(timelock.delaySeconds)], `${timelock.delaySeconds}`), effect: 'for operations proposed afterwards' }]),
  ];
}

/** Returns the calls that change a set of members from `now` to `then`. */
function setOf(now: readonly Hex[], then: readonly Hex[], call: (member: Hex, allowed: boolean) => OwnerCall): Change[] {
  const added = then.filter((member) => !now.includes(member)).map((member) => call(member, true));
  const removed = now.filter((member) => !then.includes(member)).map((member) => call(member, false));
  return [...added, ...removed].map((each) => ({ ...each, effect: atOnce }));
}

function findFixed(state: DeployedState, wanted: WantedDeployment): string[] {
  const fixed: [name: string, wanted: unknown, now: unknown][] = [
    ['settings.day_length', wanted.rules.dayLength, state.rules?.dayLength], ['settings.change_delay', wanted.changeDelay, state.changeDelay],
    ['domain.name', wanted.domain.name, state.domain?.name], ['domain.version', wanted.domain.version, state.domain?.version],
    ['license.name', wanted.license.name, state.license.name], ['license.symbol', wanted.license.symbol, state.license.symbol],
    ...(wanted.rewardToken.kind === 'existing' ? [['reward_token.address', wanted.rewardToken.address, state.links['rewardPool.token']] as [string, unknown, unknown]] : []),
  ];
  const { rules } = state;
  const tooLong = rules !== undefined && wanted.rules.minOnline >= rules.dayLength
    ? [`settings.min_online must be less than the fixed length of a day, ${rules.dayLength}; only a new deployment can have ${wanted.rules.minOnline}`] : [];
  return [...fixed.filter(([, then, now]) => String(then) !== String(now)).map(([name, then, now]) => `${name} is fixed at ${String(now)}; only a new deployment can have ${String(then)}`), ...tooLong];
}

/** Lists the names and new values of the differing fields. */
function differing(wanted: object, now: object | undefined): string {
  return Object.entries(wanted).filter(([name, value]) => String((now as Record<string, unknown> | undefined)?.[name]) !== String(value)).map(([name, value]) => `${name} ${String(value)}`).join(', ');
}

function isEqual(wanted: object, now: object | undefined): boolean {
  return now !== undefined && differing(wanted, now) === '';
}
