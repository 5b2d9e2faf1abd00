import { describe, expect, it } from 'vitest';
import { testAccount } from '../../testing/testChain.ts';
import { wantedBehind } from '../../testing/productionChain.ts';
import { contractNames, type Contracts } from './contractNames.ts';
import type { DeploymentRecord } from './deploymentRecord.ts';
import type { DeployedState } from './fetchDeployed.ts';
import { planChanges } from './planChanges.ts';
import type { WantedDeployment } from './wantedDeployment.ts';

const [coordinator, multisig, tee] = [1, 2, 3].map((number) => testAccount(number).address) as [`0x${string}`, `0x${string}`, `0x${string}`];
const deployed = wantedBehind({ coordinator, multisig, tee });
const contracts = Object.fromEntries(contractNames.map((name, place) => [name, testAccount(100 + place).address])) as unknown as Contracts;
const { rules, verdictRules, rewards, timelock, roles } = deployed;

/** A deployment exactly as wanted. */
const state: DeployedState = {
  block: 1, time: 0, codes: {}, rules, verdictRules, daily: rewards.daily, slash: rewards.slash, changeDelay: deployed.changeDelay, announcements: [],
  domain: { ...deployed.domain, chainId: deployed.chainId }, license: deployed.license, source: deployed.randomness, consumers: [], links: {}, owners: {},
  roles: { ...roles, proposers: timelock!.proposers, executors: timelock!.executors, cancellers: timelock!.proposers, timelockAdmins: [] },
  timelockDelay: BigInt(timelock!.delaySeconds), poolFree: 0n,
};

function plan(changes: Partial<WantedDeployment['rules']>): { calls: string[]; fixed: readonly string[] } {
  const { calls, fixed } = planChanges(state, { contracts, owner: contracts.timelock } as DeploymentRecord, { ...deployed, rules: { ...rules, ...changes } });
  return { calls: calls.map(({ name }) => name), fixed };
}

describe('changes of rules', () => {
  it('are one call with what the contract accepts', () => {
    expect(plan({})).toEqual({ calls: [], fixed: [] });
    expect(plan({ reportWindow: 900 })).toEqual({ calls: ['settings.setRules(reportWindow 900)'], fixed: [] });
  });

  it('contain no other length of the day, with which the contract reverts the whole operation', () => {
    const fixed = ['settings.day_length is fixed at 86400; only a new deployment can have 172800'];
    expect(plan({ dayLength: 172_800 })).toEqual({ calls: [], fixed });
    expect(plan({ dayLength: 172_800, reportWindow: 900 })).toEqual({ calls: ['settings.setRules(reportWindow 900)'], fixed });
    expect(plan({ dayLength: 172_800, minOnline: 90_000 })).toEqual({
      calls: [], fixed: [...fixed, 'settings.min_online must be less than the fixed length of a day, 86400; only a new deployment can have 90000'],
    });
  });
});
