import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { getBlock } from '../rpc/chainReads.ts';
import { parseInteger, parseObject } from '../rpc/parseResult.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';
import { saveState } from './saveState.ts';

/** Interval at which pending transactions are put into a block. */
const blockMs = 1_000;
/** Empty blocks that follow a block with transactions, or a start, so that clients waiting for confirmations get them. */
const followingBlocks = 12;
/** Interval of empty blocks without any transactions. It limits how far the newest block's time can lag behind the clock. */
const idleMs = 15_000;
/** Interval of saving the chain while only empty blocks are added. */
const idleSaveMs = 60_000;
/** Delay after a failure, such as a full disk. */
const retryMs = 10_000;

interface KeepChainOptions {
  rpc: RpcClient;
  /** File of the saved chain state. */
  path: string;
  /** Settles when the chain's process has ended. */
  ended: Promise<void>;
  log: Logger;
  system: Pick<SystemInterfaces, 'clock' | 'timers'>;
}

interface ChainKeeper {
  /** Stops mining and saves the chain. */
  stop(): Promise<void>;
}

/**
 * Mines the blocks of a local chain and saves the chain. A block with transactions is saved before the next block is mined, so a
 * transaction with one confirmation survives a kill -9 of all processes. An idle chain gets few blocks: each empty block adds 1.8 KB
 * to the saved state permanently, so one block per second would add 150 MB per day.
 */
export function keepChain({ rpc, path, ended, log, system: { clock, timers } }: KeepChainOptions): ChainKeeper {
  const stopping = new AbortController();
  let gone = false;
  // The chain starts with several blocks. A kill may have lost pending transactions and recent blocks, and senders look for their
  // transactions in blocks with higher numbers than the blocks they have already seen.
  let [toFollow, minedAt, savedAt] = [followingBlocks + 1, clock.now(), clock.now()];
  /** What the file lacks: nothing, empty blocks that can be saved later, or transactions that must be saved before the next block. */
  let unsaved: 'nothing' | 'idle blocks' | 'transactions' = 'nothing';

  const save = async (): Promise<void> => {
    await saveState(rpc, path);
    [savedAt, unsaved] = [clock.now(), 'nothing'];
  };
  const turn = async (): Promise<void> => {
    if (unsaved === 'transactions' || (unsaved !== 'nothing' && clock.now() - savedAt >= idleSaveMs)) await save();
    if (await hasWaiting(rpc)) toFollow = followingBlocks + 1;
    if (toFollow === 0 && clock.now() - minedAt < idleMs) return;
    const busy = await mineBlock(rpc);
    [minedAt, toFollow, unsaved] = [clock.now(), Math.max(0, toFollow - 1), busy ? 'transactions' : 'idle blocks'];
    if (busy) await save();
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const started = clock.now();
      const failure = await turn().then(() => null, (error: unknown) => ({ error }));
      if (failure !== null && !gone) log.warn({ err: failure.error }, 'the local chain produces no blocks: a block could not be mined or saved');
      const pause = failure === null ? Math.max(10, blockMs - (clock.now() - started)) : retryMs;
      await timers.sleep(pause, stopping.signal);
    }
  };
  const running = loop();
  const end = (): void => {
    gone = true;
    stopping.abort();
  };
  ended.then(end, end);
  return {
    async stop() {
      stopping.abort();
      await running;
      // Saves changes made without a block too, such as balances set by a test.
      if (!gone) await save();
    },
  };
}

async function hasWaiting(rpc: RpcClient): Promise<boolean> {
  // Only `pending` counts: `queued` transactions wait for an earlier transaction of their account, not for a block.
  return rpc.ask('txpool_status', [], (value) => parseInteger(parseObject(value)['pending']) > 0);
}

/** @returns whether the block holds transactions */
async function mineBlock(rpc: RpcClient): Promise<boolean> {
  await rpc.request('evm_mine');
  const block = await getBlock(rpc, 'latest');
  return block !== null && block.gasUsed > 0n;
}
