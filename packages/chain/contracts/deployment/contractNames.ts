import type { Hex } from '../../messages/operation.ts';

/** All contracts of a production deployment, in the order of their creation. */
export const contractNames = ['timelock', 'rewardToken', 'settings', 'license', 'rewardPool', 'randomness', 'service', 'slasher'] as const;

export type ContractName = (typeof contractNames)[number];

/** Ethereum addresses in lower case. The timelock is null if the owner owns the contracts directly. */
export type Contracts = Readonly<Record<Exclude<ContractName, 'timelock'>, Hex> & { timelock: Hex | null }>;
