import type { Domain, Hex } from '@vouch/chain/messages/operation';
import type { TrustRoot } from '../attestation/certificates/trustRoot.ts';
import type { AttestationPolicy } from '../attestation/policy/policy.ts';
import type { LoopbackAddress } from './value.ts';

/** Default topic hashes of the events that a node reads, by the configuration keys that can replace them. */
export const eventTopics = {
  /** TeeReportAttestations(address,bytes32[],string[],uint256) */
  topic1: '0x89a3b784b99180438f3b2027aa89e97c3c3ed66e8dc78a555d7013b39caf1a89',
  /** ConfirmVrfNodes(uint256,uint32[],uint256) */
  topic2: '0x455929120054502ca2ea8194b26e7bb3acb631d30177f6881ffa70581abd4a13',
  /** NodeClear(address) */
  topic3: '0x8a0859fa4a2e331800d512db6925d210facda82733207cb9fe49e7da954fc4aa',
} as const;

/** Default folder for the state of nodes. */
export const defaultDataPath = './verifier-data';

/** Source of a node's key. */
export type KeySource =
  | { kind: 'clear'; privateKey: Hex; from: string }
  | { kind: 'keystore'; path: string; password: PasswordSource };

/** Source of the keystore password. `ask` prompts on the terminal, or reads the first line of standard input if there is no terminal. */
export type PasswordSource =
  | { kind: 'given'; password: string; from: string }
  | { kind: 'file'; path: string }
  | { kind: 'ask' };

/** Settings of the node process. */
interface NodeSettings {
  dataPath: string;
  /** The same value resolved against the working folder, as earlier releases did; null if nothing exists there. */
  formerDataPath: string | null;
  /** Whether the node reenters the active set after it was removed. */
  reenter: boolean;
  /** Address and port of /health and /metrics; null disables both. */
  healthListen: LoopbackAddress | null;
}

export interface LogSettings {
  format: 'human' | 'json';
  level: 'debug' | 'info' | 'warn' | 'error';
  /** Log file; null means standard error. */
  path: string | null;
}

/** Source of collateral. */
interface CollateralFetching {
  /** URL of a service with the PCS API v4; null if none is configured. */
  url: string | null;
  /** Whether a running node fetches collateral itself; true only if a URL is configured. */
  automatic: boolean;
}

/** The checked configuration of a node. */
export interface NodeConfiguration {
  chain: {
    chainId: number;
    chainName: string;
    /** At least one URL; URLs have no trailing slash. */
    rpcUrls: readonly string[];
    startBlock: number;
    offsetBlock: number;
    maxBlockPerQuery: number;
    queryIntervalSeconds: number;
    maxReportDelaySeconds: number;
  };
  contract: { service: Hex; teeEmitter: Hex; topic1: Hex; topic2: Hex; topic3: Hex };
  /** Null leaves the on-chain value unchanged. */
  rewardClaimer: Hex | null;
  /** In units of 1/10000; null leaves the on-chain value unchanged. */
  commissionRate: number | null;
  domain: Domain;
  /** Lifetime of a signed message in seconds, counted from the timestamp of the newest block. */
  expirySeconds: number;
  /** `gateway`: the gateway submits the messages and pays the gas. `itself`: the node sends its own transactions and pays. */
  sending: { through: 'gateway'; url: string; version: string | null } | { through: 'itself' };
  attestation: { collateralPath: string; fetching: CollateralFetching; policy: AttestationPolicy; trustRoot: TrustRoot };
  alertUrl: string | null;
  node: NodeSettings;
  log: LogSettings;
}
