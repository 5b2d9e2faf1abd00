import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Logger } from '@vouch/platform/log/logger';
import type { Doors } from '@vouch/platform/process/doors';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import type { Sender } from './sender.ts';
import type { NodeRecord } from '../state/nodeRecord.ts';
import type { Alarms } from './alarms.ts';
import type { ChainTime } from './chainTime.ts';
import type { CollateralFreshness } from './collateralFreshness.ts';

/** What the lanes of a node work with: each reads and changes the record, and none knows of the others. */
export interface NodeParts {
  configuration: NodeConfiguration;
  node: Hex;
  rpc: RpcClient;
  sender: Sender;
  record: NodeRecord;
  time: ChainTime;
  alarms: Alarms;
  collateral: CollateralFreshness;
  log: Logger;
  doors: Doors;
  /** Aborts when the node is to stop. */
  signal: AbortSignal;
  /** The newest block when this program started: what was chosen later was seen by it from the beginning. */
  firstBlock: number;
}
