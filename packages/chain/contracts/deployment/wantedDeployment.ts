import type { Hex } from '../../messages/operation.ts';
import type { Rules, VerdictRules } from '../rules.ts';

/** The operator's description of a deployment. All addresses are Ethereum addresses in lower case. */
export interface WantedDeployment {
  chainId: bigint;
  /** Signing domain of the messages. The version must differ from every other deployment on the chain. */
  domain: { name: string; version: string };
  /** Owns the contracts, or proposes to and executes on the timelock that owns them. */
  owner: Hex;
  /** Null if `owner` owns the contracts directly. */
  timelock: WantedTimelock | null;
  roles: RoleHolders;
  license: { name: string; symbol: string };
  rewardToken: WantedRewardToken;
  rewards: { daily: bigint; slash: bigint };
  randomness: RandomnessSource;
  rules: Rules;
  verdictRules: VerdictRules;
  /** Seconds between announcing a setting and its effect; cannot be changed later. */
  changeDelay: number;
}

interface WantedTimelock {
  delaySeconds: number;
  proposers: readonly Hex[];
  /** The zero address allows anyone to execute. */
  executors: readonly Hex[];
}

/** Accounts with roles besides the owner. */
interface RoleHolders {
  /** May report attestations. */
  tees: readonly Hex[];
  /** May propose to slash votes against a verdict. */
  slashers: readonly Hex[];
  /** May dispute such proposals and decide on them. */
  arbiters: readonly Hex[];
}

/** An existing token, or a new token whose whole supply goes to `holder`. */
type WantedRewardToken =
  | { kind: 'existing'; address: Hex }
  | { kind: 'new'; name: string; symbol: string; supply: bigint; holder: Hex | 'pool' };

/** Parameters for requesting random words from a coordinator (Chainlink VRF v2.5). */
export interface RandomnessSource {
  coordinator: Hex;
  subscriptionId: bigint;
  keyHash: Hex;
  requestConfirmations: number;
  callbackGasLimit: number;
  nativePayment: boolean;
}

