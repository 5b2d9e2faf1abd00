import type { Hex } from '@vouch/chain/messages/operation';

/** A node as the service contract stores it; times in seconds since 1970. */
export interface ServiceNode {
  /** 0 until the node enters for the first time. */
  id: number;
  active: boolean;
  weight: number;
  claimer: Hex;
  commissionRate: number;
  lastModifyAt: number;
  lastEnterTime: number;
  earnings: NodeEarnings;
}

/** What a node earned, in smallest units of the reward token. */
export interface NodeEarnings {
  /** The last credited day; not settled while it is after `lastConfirmDate`. */
  lastActiveDate: number;
  lastConfirmDate: number;
  selfTotal: bigint;
  perLicense: bigint;
  /** Weights of the settled days. */
  weights: ReadonlyMap<number, number>;
}

/** A day for which the contract reserved a reward: the unsettled part of the reward, the weight of all credited nodes, and the settled part of this weight. */
interface RewardDay {
  pot: bigint;
  weight: number;
  settled: number;
}

/** The storage of the service contract at the end of one block. Never changed in place. */
export interface ServiceState {
  nodes: ReadonlyMap<Hex, ServiceNode>;
  lastId: number;
  /** How often each message took effect, by digest and signer. */
  applied: ReadonlyMap<string, number>;
  /** The node changes that took effect, in order, by digest and signer. */
  changes: readonly string[];
  /** Votes by attestation and index: 1 + result. */
  votes: ReadonlyMap<string, number>;
  attestations: readonly ServiceAttestation[];
  days: ReadonlyMap<number, RewardDay>;
}

/** An attestation with its chosen nodes. */
export interface ServiceAttestation {
  id: Hex;
  /** Id of the list of chosen nodes; 0 before the choice. */
  chosenId: number;
  /** Ids of the chosen nodes. */
  chosen: readonly number[];
  /** Seconds since 1970; 0 before the choice. */
  deadline: number;
}

/** An event of a transaction, without its place in the chain. */
export interface EmittedLog {
  address: Hex;
  topics: Hex[];
  data: Hex;
}

/** What a call does: a new state, or the reason why it changes nothing. */
export type CallOutcome =
  | { succeeded: true; state: ServiceState; logs: EmittedLog[]; gas: number }
  | { succeeded: false; reason: string; gas: number };

export function messageKey(digest: string, signer: string): string {
  return `${digest} ${signer}`;
}
