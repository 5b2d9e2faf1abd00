import type { Domain, Hex } from '@vouch/chain/messages/operation';
import type { TrustRoot } from '../attestation/certificates/trustRoot.ts';
import type { AttestationPolicy } from '../attestation/policy/policy.ts';
import type { LoopbackAddress } from './value.ts';

/** Where a node's key comes from. */
export type KeySource =
  | { kind: 'clear'; privateKey: Hex; from: string }
  | { kind: 'keystore'; path: string; password: PasswordSource };

/** `ask`: from the terminal, or the first line of standard input where there is none. */
export type PasswordSource =
  | { kind: 'given'; password: string; from: string }
  | { kind: 'file'; path: string }
  | { kind: 'ask' };

/** How the program itself behaves. */
export interface NodeSettings {
  dataPath: string;
  /** Whether it enters again when it was put out of the active set. */
  reenter: boolean;
  /** Null: nothing listens. */
  healthListen: LoopbackAddress | null;
}

export interface LogSettings {
  format: 'human' | 'json';
  level: 'debug' | 'info' | 'warn' | 'error';
  /** Null: standard error. */
  path: string | null;
}

/** Everything a node is told, checked. */
export interface NodeConfiguration {
  chain: {
    chainId: number;
    chainName: string;
    /** At least one; without slashes at the end. */
    rpcUrls: readonly string[];
    startBlock: number;
    offsetBlock: number;
    maxBlockPerQuery: number;
    queryIntervalSeconds: number;
    reportDelaySecondsMax: number;
  };
  contract: { service: Hex; teeEmitter: Hex; topic1: Hex; topic2: Hex; topic3: Hex };
  /** Null: leave it as it is on the chain. */
  rewardClaimer: Hex | null;
  /** In 1/10000; null: leave it as it is on the chain. */
  commissionRate: number | null;
  domain: Domain;
  /** From the newest block's time to a message's end. */
  expirySeconds: number;
  /** `itself`: pays for its own transactions. */
  sending: { through: 'gateway'; url: string; version: string | null } | { through: 'itself' };
  attestation: { collateralPath: string; policy: AttestationPolicy; trustRoot: TrustRoot };
  alertUrl: string | null;
  node: NodeSettings;
  log: LogSettings;
}
