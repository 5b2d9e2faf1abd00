import type { Hex } from '@vouch/chain/messages/operation';
import type { Connect } from '@vouch/chain/rpc/endpoint';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { createGatewaySender } from './gatewaySender.ts';
import { OwnSender } from './ownSender.ts';
import type { TransactionStore } from './pendingTransactions.ts';
import type { Sender } from '../context/sender.ts';

export interface SenderParts {
  configuration: Pick<NodeConfiguration, 'sending' | 'chain' | 'contract' | 'domain'>;
  node: Hex;
  privateKey: Hex;
  rpc: RpcClient;
  system: SystemInterfaces;
  log: Logger;
  /** Stores own transactions across restarts; null for a command that sends one operation and ends. */
  store: TransactionStore | null;
  /** Opens the HTTP connections to a gateway; simulations replace the default. */
  connect?: Connect | undefined;
}

/** Creates the configured sender: through a gateway, or from the node's own account. */
export function createSender({ configuration: { sending, chain, contract, domain }, node, privateKey, rpc, system, log, store, connect }: SenderParts): Sender {
  if (sending.through === 'itself') return new OwnSender({ rpc, chainId: chain.chainId, service: contract.service, node, privateKey, system, log, store });
  return createGatewaySender({ url: sending.url, version: sending.version, domain, node, privateKey, timers: system.timers, connect });
}
