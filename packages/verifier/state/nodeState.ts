import { join } from 'node:path';
import type { Hex } from '@vouch/chain/messages/operation';

/** The state that a node stores in its folder, so that a restart misses nothing and reports nothing twice. Block numbers and chain times (seconds) are integers; fields `…At` are wall-clock times in milliseconds. */
export interface NodeState {
  version: 1;
  chainId: number;
  chainName: string;
  service: Hex;
  node: Hex;
  /** Hash of block 0; a different hash means a different chain with the same id. */
  genesis: Hex;
  /** The last scanned block, preceded by some older blocks to find the start of a reorganization; oldest first, never empty. */
  checkpoints: readonly Checkpoint[];
  startedAt: number;
  savedAt: number;
  /** When the chain last answered. */
  chainSeenAt: number | null;
  /** All open attestations and the last `maxEnded` that ended; oldest first. */
  attestations: readonly KeptAttestation[];
  membership: Membership;
  /** The newest day read from the contract; null before the first read and when the contract does not expose days. */
  day: KeptDay | null;
  /** Newest day of the contract that is in `counts`, or that ended before the node counted; null before the first read. */
  countedDay: number | null;
  /** UTC days with the seconds in which the node was active and the chain answered; the last `maxDays`, oldest first. */
  online: readonly { day: string; seconds: number }[];
  lastChosenAt: number | null;
  lastReportedAt: number | null;
  /** Totals since the state was created. */
  counts: { announced: number; chosen: number; reported: number; missed: number; notVoted: number; daysCredited: number; daysLost: number };
  /** In gas mode: this node's pending transactions, stored before they are sent. */
  transactions: readonly KeptTransaction[];
  /** Set when another program uses the same key: this node then reports only what the other program has not reported at half of the report window. */
  standby: { since: number; because: string } | null;
  /** Alarms that are active now. */
  alarms: readonly KeptAlarm[];
}

export interface Checkpoint {
  block: number;
  hash: Hex;
}

export interface Membership {
  /** Number of the node in the contract; 0: the node never entered. */
  id: number;
  active: boolean;
  /** When the membership was last read; null before the first read since the start. The other fields are then those of the last run. */
  readAt: number | null;
  /** When the node last entered; null while inactive or unknown. */
  activeSince: number | null;
  /** Licenses held or delegated. */
  weight: number | null;
  claimer: Hex | null;
  /** In 1/10000. */
  commissionRate: number | null;
  /** Reports that the contract counts as missed. Vouch's contract keeps them when the node leaves, the upstream contract does not. */
  missed: number | null;
}

/**
 * announced: seen, with or without a verdict · chosen: this node must report · sent: a report was sent (stored before it
 * is sent) · reported: the chain has the report · missed: the deadline passed without a report · withheld: chosen, but no vote was
 * possible until the deadline · notChosen: other nodes were chosen.
 */
export type AttestationState = 'announced' | 'chosen' | 'sent' | 'reported' | 'missed' | 'withheld' | 'notChosen';

/** One attestation. */
export interface KeptAttestation {
  attestationId: Hex;
  /** Id of the request that links announcement and choice; decimal text of a uint256. */
  requestId: string;
  /** Block of the announcement. */
  block: number;
  transactionHash: Hex;
  /** Position in the chosen list; null before the choice and when the node is not in the list. */
  chosenIndex: number | null;
  /** Block in which the nodes were chosen. */
  chosenBlock: number | null;
  /** When this program saw the choice. */
  chosenAt: number | null;
  /** Last timestamp (block time, in seconds) at which reports count. */
  deadline: number | null;
  /** Chain time (seconds) halfway between the choice and the deadline. */
  halfTime: number | null;
  /** The vote; null: not judged yet, or no vote is possible (`reason` then says why). */
  verdict: 0 | 1 | 2 | null;
  /** Code of the outcome (see attestation/outcome.ts); null before the attestation was judged. */
  reason: string | null;
  sentence: string | null;
  /** The date for which the attestation was judged. */
  judgedAt: number | null;
  /** Id of the verification inputs of the verdict (see verificationInputsStore.ts); null when they are not stored. */
  basis: string | null;
  state: AttestationState;
  /** How often a report was sent. */
  attempts: number;
  sentAt: number | null;
  reportedAt: number | null;
  /** In gas mode: hash of the transaction that carries the report. */
  sentHash: Hex | null;
  lastError: string | null;
}

/** A transaction that the node sent itself, in gas mode. Amounts are decimal text: `gas` in units, fees in wei per gas. */
export interface KeptTransaction {
  nonce: number;
  data: Hex;
  gas: string;
  /** Maximum fee of the newest version; `tip` is its priority fee. */
  maxFee: string;
  tip: string;
  /** Set on chains without a base fee, where `maxFee` is the gas price. */
  legacy?: true;
  /** Hashes of all versions, newest last. */
  hashes: readonly Hex[];
  sentAt: number;
}

/** A day of the contract; times are seconds since 1970. */
export interface KeptDay {
  index: number;
  begin: number;
  end: number;
  /** Licenses for which the day is credited to the node; null when the contract does not say. */
  creditedWeight: number | null;
  /** Seconds that a node must be active in the day; null when the contract does not say. */
  neededSeconds: number | null;
  readAt: number;
}

export interface KeptAlarm {
  /** Stable code; see context/alarms.ts. */
  code: string;
  /** The attestation that the alarm is about; empty for alarms that exist once. */
  subject: string;
  sentence: string;
  since: number;
}

/** Number of ended attestations that are stored, with their texts; those in blocks that are scanned again are stored beyond this number. */
export const maxEnded = 500;
export const maxDays = 8;
export const maxCheckpoints = 64;

/** The folder of one node on one contract of one chain. */
export function stateFolder(dataPath: string, chainId: number, service: Hex, node: Hex): string {
  return join(dataPath, `${chainId}-${service}-${node}`);
}

/** Files in that folder. */
export const stateFile = 'state.json';
export const lockFile = 'node.lock';
/** Folder of the attestations' texts, one file each, named by id: `infos/0x….txt`. */
export const infosFolder = 'infos';

export function infoPath(folder: string, attestationId: Hex): string {
  return join(folder, infosFolder, `${attestationId}.txt`);
}

export function isEnded({ state }: KeptAttestation): boolean {
  return state === 'reported' || state === 'missed' || state === 'withheld' || state === 'notChosen';
}
