import type { Hex } from '../messages/operation.ts';
import { readLog, type Log } from './chainReads.ts';
import { readList } from './readResult.ts';
import type { RpcClient } from './rpcClient.ts';
import { RpcRefused, RpcUnavailable } from './rpcErrors.ts';

interface LogFilter {
  address: Hex | readonly Hex[];
  /** As in `eth_getLogs`: one topic, several of which one must be there, or null for any. */
  topics?: readonly (Hex | readonly Hex[] | null)[];
}

interface ScanOptions extends LogFilter {
  fromBlock: number;
  /** The last block that is looked at. */
  toBlock: number;
  /** Most blocks in one question; halved where an endpoint refuses, and doubled again where it answers. */
  blocksMax: number;
  signal?: AbortSignal;
}

/** The logs of some blocks after one another; also blocks without logs are reported, so that a checkpoint can move on. */
export interface ScannedBlocks {
  fromBlock: number;
  toBlock: number;
  logs: readonly Log[];
}

/**
 * Reads logs block range by block range, in order and without a gap. Nodes limit a question by blocks, by logs or by
 * bytes, and say so in as many ways: any refusal halves the range, until a single block is refused.
 * @throws RpcRefused, RpcUnavailable for a single block; the reason of `signal`
 */
export async function* scanLogs(rpc: RpcClient, options: ScanOptions): AsyncGenerator<ScannedBlocks> {
  const { toBlock, blocksMax, signal } = options;
  let blocks = Math.max(1, blocksMax);
  let fromBlock = options.fromBlock;
  while (fromBlock <= toBlock) {
    const last = Math.min(toBlock, fromBlock + blocks - 1);
    const logs = await getLogs(rpc, options, fromBlock, last).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (last > fromBlock && isTooMuch(error)) return null;
      throw error;
    });
    if (logs === null) {
      blocks = Math.max(1, Math.floor((last - fromBlock + 1) / 2));
      continue;
    }
    yield { fromBlock, toBlock: last, logs };
    fromBlock = last + 1;
    blocks = Math.min(blocksMax, blocks * 2);
  }
}

async function getLogs(rpc: RpcClient, { address, topics = [], signal }: ScanOptions, fromBlock: number, toBlock: number): Promise<Log[]> {
  const addresses = typeof address === 'string' ? [address] : address;
  const filter = { address, topics, fromBlock: quantity(fromBlock), toBlock: quantity(toBlock) };
  return rpc.ask('eth_getLogs', [filter], (result) => readList(result, (value) => {
    const log = readLog(value);
    // An endpoint that sends what was not asked for is not to be believed in the rest either.
    if (log.blockNumber < fromBlock || log.blockNumber > toBlock) throw new Error(`a log of block ${log.blockNumber} was not asked for`);
    if (!addresses.includes(log.address)) throw new Error(`a log of ${log.address} was not asked for`);
    return log;
  }), signal);
}

/** Refusals by the node, answers that are too long, and those that take too long; a host that is down is none of them. */
function isTooMuch(error: unknown): boolean {
  if (error instanceof RpcRefused) return true;
  return error instanceof RpcUnavailable && error.faults.some(({ kind }) => kind === 'too-large' || kind === 'silent');
}

function quantity(value: number): Hex {
  return `0x${value.toString(16)}`;
}
