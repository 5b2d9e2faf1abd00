import type { Hex } from '../messages/operation.ts';
import type { BlockRange } from './blockRange.ts';
import { parseLog, type Log } from './chainReads.ts';
import { parseList } from './parseResult.ts';
import type { RpcClient } from './rpcClient.ts';
import { RpcRefused, RpcUnavailable } from './rpcErrors.ts';

interface LogFilter {
  address: Hex | readonly Hex[];
  /** Topics as in `eth_getLogs`: at each position one topic, a list of alternatives, or null for any. */
  topics?: readonly (Hex | readonly Hex[] | null)[];
}

interface ScanOptions extends LogFilter {
  fromBlock: number;
  /** Last block of the scan, included. */
  toBlock: number;
  /** Number of blocks per request. Scans that share it know from the start what the endpoint answers. */
  range: BlockRange;
  signal?: AbortSignal;
}

/** Logs of consecutive blocks. Ranges without logs are reported too, so that the caller can advance its checkpoint. */
export interface ScannedBlocks {
  fromBlock: number;
  toBlock: number;
  logs: readonly Log[];
}

/**
 * Reads the logs of a block range in order and without gaps. Nodes limit a request by blocks, logs or bytes, with different error
 * messages, so every refusal shortens the range, down to a single block.
 * @throws RpcRefused, RpcUnavailable for a single block; the reason of `signal`
 */
export async function* scanLogs(rpc: RpcClient, options: ScanOptions): AsyncGenerator<ScannedBlocks> {
  const { toBlock, range, signal } = options;
  let fromBlock = options.fromBlock;
  while (fromBlock <= toBlock) {
    const last = Math.min(toBlock, fromBlock + range.blocks - 1);
    const logs = await getLogs(rpc, options, fromBlock, last).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (last > fromBlock && isTooMuch(error)) return null;
      throw error;
    });
    const blocks = last - fromBlock + 1;
    if (logs === null) {
      range.refused(blocks);
      continue;
    }
    range.answered(blocks);
    yield { fromBlock, toBlock: last, logs };
    fromBlock = last + 1;
  }
}

async function getLogs(rpc: RpcClient, { address, topics = [], signal }: ScanOptions, fromBlock: number, toBlock: number): Promise<Log[]> {
  const addresses = typeof address === 'string' ? [address] : address;
  const filter = { address, topics, fromBlock: quantity(fromBlock), toBlock: quantity(toBlock) };
  return rpc.ask('eth_getLogs', [filter], (result) => parseList(result, (value) => {
    const log = parseLog(value);
    // If an endpoint returns logs that were not requested, the whole answer is rejected.
    if (log.blockNumber < fromBlock || log.blockNumber > toBlock) throw new Error(`a log of block ${log.blockNumber} was not requested`);
    if (!addresses.includes(log.address)) throw new Error(`a log of ${log.address} was not requested`);
    return log;
  }), signal);
}

/** Whether a smaller range may succeed: the node refused, the answer was too large, or it took too long. */
function isTooMuch(error: unknown): boolean {
  if (error instanceof RpcRefused) return true;
  return error instanceof RpcUnavailable && error.faults.some(({ kind }) => kind === 'too-large' || kind === 'silent');
}

function quantity(value: number): Hex {
  return `0x${value.toString(16)}`;
}
