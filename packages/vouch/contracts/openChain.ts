import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { CommandFault } from '../terminal/commandFault.ts';
import { readConfiguration } from '../wiring/configuration.ts';

/** The chain of the settings and the operator's fee limit. */
export interface ConfiguredChain {
  rpc: RpcClient;
  feeCapWei: bigint;
  confirmations: number;
}

/**
 * Calls `work` with a client for the configured chain.
 * @throws ConfigurationError; CommandFault if no endpoint is configured
 */
export async function withChain<Result>(work: (chain: ConfiguredChain) => Promise<Result>): Promise<Result> {
  const configuration = readConfiguration();
  const urls = configuration['chain_rpc_url'] as readonly string[] | undefined;
  if (urls === undefined) {
    throw new CommandFault(exitCodes.usage, 'VOUCH_CHAIN_RPC_URL is not set: set the variable to the RPC endpoints of the chain. The command line has no option for endpoints, because their URLs often contain a key.');
  }
  const rpc = createRpcClient({ urls, timeoutMs: 30_000 }, systemInterfaces);
  try {
    return await work({ rpc, feeCapWei: BigInt(Math.round((configuration['max_fee_gwei'] as number) * 1e9)), confirmations: configuration['confirmations'] as number });
  } finally {
    await rpc.close();
  }
}
