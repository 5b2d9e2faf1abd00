import { join } from 'node:path';
import type { Hex } from '@vouch/chain/messages/operation';

/** What a node keeps in its folder, so that a restart misses nothing and reports nothing twice. Blocks and seconds of the chain are integers; `…At` is the wall clock in milliseconds. */
export interface NodeState {
  version: 1;
  chainId: number;
  chainName: string;
  service: Hex;
  node: Hex;
  /** Hash of block 0: another one means another chain of the same id. */
  genesis: Hex;
  /** Every block up to here was looked at; with some before it, oldest first, to find where a reorganization began. Never empty. */
  checkpoints: readonly Checkpoint[];
  startedAt: number;
  savedAt: number;
  /** When the chain last answered. */
  chainSeenAt: number | null;
  /** Open ones, and of those that ended the last `maxEnded`; oldest first. */
  attestations: readonly KeptAttestation[];
  membership: Membership;
  /** The contract's newest day that was read; null before, and where the contract tells none. */
  day: KeptDay | null;
  /** UTC days with the seconds in which the node was active and the chain answered; the last `maxDays`, oldest first. */
  online: readonly { day: string; seconds: number }[];
  lastChosenAt: number | null;
  lastReportedAt: number | null;
  /** Since the state began. */
  counts: { announced: number; chosen: number; reported: number; missed: number; notVoted: number; daysCredited: number; daysLost: number };
  /** In gas mode: those of this node that are in no block yet, written down before they go out. */
  transactions: readonly KeptTransaction[];
  /** Another program works with the same key: this one only reports what that one leaves until half of its time is over. */
  standby: { since: number; because: string } | null;
  /** Those that stand now. */
  alarms: readonly KeptAlarm[];
}

export interface Checkpoint {
  block: number;
  hash: Hex;
}

export interface Membership {
  /** Number of the node in the contract; 0: it never entered. */
  id: number;
  active: boolean;
  /** When that was last read; null before the first time. */
  readAt: number | null;
  /** When it last began; null while not active or not known. */
  activeSince: number | null;
  /** Licenses held or delegated. */
  weight: number | null;
  claimer: Hex | null;
  /** In 1/10000. */
  commissionRate: number | null;
  /** Reports that the contract counts as missed since the node entered. */
  missed: number | null;
}

/**
 * announced: seen, verdict or not · chosen: this node is to report it · sent: a report is on its way (written down before it
 * goes out) · reported: the chain has it · missed: the deadline passed without it · withheld: chosen, and no vote could be
 * given until the deadline · notChosen: others were.
 */
export type AttestationState = 'announced' | 'chosen' | 'sent' | 'reported' | 'missed' | 'withheld' | 'notChosen';

/** One attestation. */
export interface KeptAttestation {
  attestationId: Hex;
  /** Joins announcement and choice; decimal text of a uint256. */
  requestId: string;
  /** Where it was announced. */
  block: number;
  transactionHash: Hex;
  /** Place in the chosen list; null before the choice, or where it is not in it. */
  chosenIndex: number | null;
  /** Where the nodes were chosen. */
  chosenBlock: number | null;
  /** When this program saw the choice. */
  chosenAt: number | null;
  /** Last second of the chain's time in which reports count. */
  deadline: number | null;
  /** Second of the chain's time when half of the time that was left at the choice is over. */
  halfTime: number | null;
  /** The vote; null: none yet, or none can be given (then `reason` says why). */
  verdict: 0 | 1 | 2 | null;
  /** Code of the outcome (see attestation/outcome.ts); null before it was judged. */
  reason: string | null;
  sentence: string | null;
  /** The moment for which it was judged. */
  judgedAt: number | null;
  /** Id of the verification inputs of the verdict (see verificationInputsStore.ts); null when they are not stored. */
  basis: string | null;
  state: AttestationState;
  /** How often a report was sent. */
  attempts: number;
  sentAt: number | null;
  reportedAt: number | null;
  /** In gas mode, of the transaction that carries it. */
  sentHash: Hex | null;
  lastError: string | null;
}

/** A call of the service that the node sent itself, in gas mode. Amounts are decimal text: gas in units, fees in wei for one. */
export interface KeptTransaction {
  nonce: number;
  data: Hex;
  gas: string;
  /** Of its newest version, as the tip. */
  maxFee: string;
  tip: string;
  /** Of all versions, newest last. */
  hashes: readonly Hex[];
  sentAt: number;
}

/** A day as the contract counts; seconds since 1970. */
export interface KeptDay {
  index: number;
  begin: number;
  end: number;
  /** Licenses with which it is credited to the node; null where the contract does not tell. */
  creditedWeight: number | null;
  /** How long a node has to be active in it; null where the contract does not tell. */
  neededSeconds: number | null;
  readAt: number;
}

export interface KeptAlarm {
  /** Stable code: see node/alarms.ts. */
  code: string;
  /** What it is about where there may be several: an attestation; else empty. */
  subject: string;
  sentence: string;
  since: number;
}

/** Attestations that ended and are kept, and with them their infos. */
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
/** Left by `verifier exit`: a node that runs does not enter again until it is started anew. */
export const leftFile = 'left';
/** Infos of attestations, one file each, named by the id: `infos/0x….txt`. */
export const infosFolder = 'infos';

export function infoPath(folder: string, attestationId: Hex): string {
  return join(folder, infosFolder, `${attestationId}.txt`);
}

export function isEnded({ state }: KeptAttestation): boolean {
  return state === 'reported' || state === 'missed' || state === 'withheld' || state === 'notChosen';
}
