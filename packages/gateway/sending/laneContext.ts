import type { Fees } from '@vouch/chain/fees/fees';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Lease } from '@vouch/platform/lease/lease';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Isolation } from '../calls/arrangeCalls.ts';
import type { WindowLimits } from '../batching/flushWindow.ts';
import type { ChainFollower } from './confirming/followChain.ts';
import type { LaneRules } from './decideLane.ts';
import type { LaneSigner } from './laneSigner.ts';
import type { LastChainLook } from './fetchEvidence.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';

/** Nonce and fees of a transaction without operators' operations. */
export interface MaintenanceSlot {
  nonce: number;
  fees: Fees;
  headNumber: number;
}

/** A slot with the relayer's uncommitted balance in wei. */
export interface FundedSlot extends MaintenanceSlot {
  spareWei: bigint;
}

/** Sends what nodes need without a message of theirs (daily activity, randomness, conclusions), at most one transaction per turn. */
export interface ActivityReporter {
  /**
   * @param headTime head block's time, seconds since 1970
   * @returns whether a transaction was sent
   */
  report(context: LaneContext, headTime: number, slot: FundedSlot, signal?: AbortSignal): Promise<boolean>;
}

/** Dependencies of one key's writer. A restart loses none of this state. */
export interface LaneContext {
  /** The key's lease. Its `transaction` refuses writes after another process became the writer; the database enforces the refusal. */
  database: Lease;
  system: SystemInterfaces;
  log: Logger;
  rpc: RpcClient;
  signer: LaneSigner;
  lane: RelayerLane;
  chainId: bigint;
  service: Hex;
  isolation: Isolation;
  follower: ChainFollower;
  rules: LaneRules;
  limits: WindowLimits;
  feeCapWei: bigint;
  /** Name of the setting that changes the cap, for error messages. */
  feeCapSetting: string;
  balanceMinWei: bigint;
  /** Absent if the settings disable the activity reporter. */
  reporter?: ActivityReporter;
  /** Also holds the clock times, in ms, of the next idle read of the chain and of the activity reporter's last turn. */
  lastLook: LastChainLook & { nextMs: number; reportedMs: number };
}
