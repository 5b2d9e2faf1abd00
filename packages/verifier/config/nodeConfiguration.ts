import type { Domain, Hex } from '@vouch/chain/messages/operation';
import type { TrustRoot } from '../attestation/certificates/trustRoot.ts';
import type { AttestationPolicy } from '../attestation/policy/policy.ts';
import type { LoopbackAddress } from './value.ts';

/** Hashes of the events that a node listens to, by the keys that may replace them. */
export const eventTopics = {
  /** TeeReportAttestations(address,bytes32[],string[],uint256) */
  topic1: '0x89a3b784b99180438f3b2027aa89e97c3c3ed66e8dc78a555d7013b39caf1a89',
  /** ConfirmVrfNodes(uint256,uint32[],uint256) */
  topic2: '0x455929120054502ca2ea8194b26e7bb3acb631d30177f6881ffa70581abd4a13',
  /** NodeClear(address) */
  topic3: '0x8a0859fa4a2e331800d512db6925d210facda82733207cb9fe49e7da954fc4aa',
} as const;

/** Where nodes keep their state unless the configuration says otherwise. */
export const defaultDataPath = './verifier-data';

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
interface NodeSettings {
  dataPath: string;
  /** Where the same value led in releases that counted it from the working folder; null where nothing is there. */
  formerDataPath: string | null;
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

/** Where collateral comes from. */
interface CollateralFetching {
  /** Address (URL) of a service with the PCS API v4; null: none is configured. */
  url: string | null;
  /** Whether a running node fetches by itself; only with an address. */
  automatic: boolean;
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
    maxReportDelaySeconds: number;
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
  attestation: { collateralPath: string; fetching: CollateralFetching; policy: AttestationPolicy; trustRoot: TrustRoot };
  alertUrl: string | null;
  node: NodeSettings;
  log: LogSettings;
}
