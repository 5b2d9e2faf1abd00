import type { Hex } from '@vouch/chain/messages/operation';
import type { Connect } from '@vouch/chain/rpc/endpoint';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import type { Sender } from './sender.ts';
import type { NodeRecord } from '../state/nodeRecord.ts';
import type { Alarms } from './alarms.ts';
import type { ChainTime } from './chainTime.ts';
import type { CollateralFreshness } from './collateralFreshness.ts';

/** Resources shared by all lanes of a node. Each lane reads and changes the record; no lane accesses another lane. */
export interface NodeParts {
  configuration: NodeConfiguration;
  node: Hex;
  rpc: RpcClient;
  /** Opens the HTTP connections to the collateral service; simulations replace the default, `openConnections`. */
  connect?: Connect | undefined;
  sender: Sender;
  record: NodeRecord;
  time: ChainTime;
  alarms: Alarms;
  collateral: CollateralFreshness;
  log: Logger;
  system: SystemInterfaces;
  /** Aborted when the node must stop. */
  signal: AbortSignal;
  /** Number of the newest block when this program started. For attestations chosen after this block, the program saw every event. */
  firstBlock: number;
}
