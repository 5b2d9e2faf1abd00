import type { Hex } from '../../messages/operation.ts';

/** Every contract of a deployment on a real chain, in the order in which they are made. */
export const contractNames = ['timelock', 'rewardToken', 'settings', 'license', 'rewardPool', 'randomness', 'service', 'slasher'] as const;

export type ContractName = (typeof contractNames)[number];

/** Addresses in lower case. The timelock is null where the owner owns the contracts directly. */
export type Contracts = Readonly<Record<Exclude<ContractName, 'timelock'>, Hex> & { timelock: Hex | null }>;
