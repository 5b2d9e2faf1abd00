import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Lease } from '@vouch/platform/lease/lease';
import type { Logger } from '@vouch/platform/log/logger';
import type { Doors } from '@vouch/platform/process/doors';
import type { Isolation } from '../batching/arrangeCalls.ts';
import type { Line } from '../batching/claimStore.ts';
import type { WindowLimits } from '../batching/flushWindow.ts';
import type { ChainFollower } from '../confirming/followChain.ts';
import type { Keeper } from '../keeper/createKeeper.ts';
import type { LineRules } from './decideLine.ts';
import type { LineSigner } from './lineSigner.ts';
import type { Looked } from './readEvidence.ts';

/** Everything that the writer of one key works with. Nothing of it is state that a restart would lose. */
export interface LineContext {
  /**
   * The lease of the key. Writes go through its `transaction`, which is refused once another process writes the key; the server refuses
   * writes past it.
   */
  database: Lease;
  doors: Doors;
  log: Logger;
  rpc: RpcClient;
  signer: LineSigner;
  line: Line;
  service: Hex;
  isolation: Isolation;
  follower: ChainFollower;
  rules: LineRules;
  limits: WindowLimits;
  feeCapWei: bigint;
  /** Where the operator changes it. */
  feeCapSetting: string;
  balanceMinWei: bigint;
  /** Absent where nobody wants daily activity reported. */
  keeper?: Keeper;
  /** And, by the clock, when the chain is looked at next although there is nothing to do, and when the keeper had its last turn. */
  looked: Looked & { nextMs: number; keptMs: number };
}
