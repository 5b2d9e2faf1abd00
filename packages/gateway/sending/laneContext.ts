import type { Fees } from '@vouch/chain/fees/fees';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Lease } from '@vouch/platform/lease/lease';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/doors';
import type { Isolation } from '../calls/arrangeCalls.ts';
import type { WindowLimits } from '../batching/flushWindow.ts';
import type { ChainFollower } from '../confirming/followChain.ts';
import type { LaneRules } from './decideLane.ts';
import type { LaneSigner } from './laneSigner.ts';
import type { LastChainLook } from './readEvidence.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';

/** A transaction that no message asks for: where it goes in the sequence of the key, and what it may cost. */
export interface MaintenanceSlot {
  nonce: number;
  fees: Fees;
  headNumber: number;
}

/** A slot, and the balance that the key has left for it. */
export interface FundedSlot extends MaintenanceSlot {
  spareWei: bigint;
}

/** Does for the nodes what no message asks for, one transaction in a turn at most. */
export interface ActivityReporter {
  /** @param headTime seconds since 1970 @returns whether something was sent */
  report(context: LaneContext, headTime: number, slot: FundedSlot, signal?: AbortSignal): Promise<boolean>;
}

/** Everything that the writer of one key works with. Nothing of it is state that a restart would lose. */
export interface LaneContext {
  /**
   * The lease of the key. Writes go through its `transaction`, which is refused once another process writes the key; the server refuses
   * writes past it.
   */
  database: Lease;
  doors: SystemInterfaces;
  log: Logger;
  rpc: RpcClient;
  signer: LaneSigner;
  lane: RelayerLane;
  service: Hex;
  isolation: Isolation;
  follower: ChainFollower;
  rules: LaneRules;
  limits: WindowLimits;
  feeCapWei: bigint;
  /** Where the operator changes it. */
  feeCapSetting: string;
  balanceMinWei: bigint;
  /** Absent where the operator does not want daily activity reported. */
  reporter?: ActivityReporter;
  /** And, by the clock, when the chain is looked at next although there is nothing to do, and when the keeper had its last turn. */
  lastLook: LastChainLook & { nextMs: number; reportedMs: number };
}
