import type { Hex } from '../../messages/operation.ts';
import type { Rules, VerdictRules } from '../rules.ts';

/** What the operator of a deployment asks for. Addresses are Ethereum addresses in lower case. */
export interface WantedDeployment {
  chainId: bigint;
  /** Signing domain of the messages; the version must differ from that of every other deployment on the chain. */
  domain: { name: string; version: string };
  /** Owns the contracts, or is proposer and executor of the timelock that owns them. */
  owner: Hex;
  /** Null where `owner` owns the contracts directly. */
  timelock: WantedTimelock | null;
  roles: RoleHolders;
  license: { name: string; symbol: string };
  rewardToken: WantedRewardToken;
  rewards: { daily: bigint; slash: bigint };
  randomness: RandomnessSource;
  rules: Rules;
  verdictRules: VerdictRules;
  /** Seconds between the announcement of a setting and its effect, for ever. */
  changeDelay: number;
}

interface WantedTimelock {
  delaySeconds: number;
  proposers: readonly Hex[];
  /** The zero address lets everybody execute. */
  executors: readonly Hex[];
}

/** Who may do what beside the owner. */
interface RoleHolders {
  /** Report attestations. */
  tees: readonly Hex[];
  /** Propose to slash votes against a verdict. */
  slashers: readonly Hex[];
  /** Dispute such proposals and decide on them. */
  arbiters: readonly Hex[];
}

/** A token that exists, or a new token, whose whole supply goes to `holder`. */
type WantedRewardToken =
  | { kind: 'existing'; address: Hex }
  | { kind: 'new'; name: string; symbol: string; supply: bigint; holder: Hex | 'pool' };

/** What a coordinator of random words (Chainlink VRF v2.5) is asked with. */
export interface RandomnessSource {
  coordinator: Hex;
  subscriptionId: bigint;
  keyHash: Hex;
  requestConfirmations: number;
  callbackGasLimit: number;
  nativePayment: boolean;
}

