import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/doors';
import { getBlock } from '../rpc/chainReads.ts';
import { readInteger, readObject } from '../rpc/readResult.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';
import { saveState } from './saveState.ts';

/** How often transactions that wait are put into a block. */
const blockMs = 1_000;
/** Blocks that follow one with transactions or a start, so that whoever waits for confirmations gets them. */
const followingBlocks = 12;
/** Without any transaction there is a block this often, so that the head's time is never much behind the clock. */
const idleMs = 15_000;
/** Idle blocks are saved together. */
const idleSaveMs = 60_000;
/** After a failure, such as a full disk. */
const retryMs = 10_000;

interface KeepChainOptions {
  rpc: RpcClient;
  /** File of the state. */
  path: string;
  /** Settles when the chain has ended. */
  ended: Promise<void>;
  log: Logger;
  doors: Pick<SystemInterfaces, 'clock' | 'timers'>;
}

interface ChainKeeper {
  /** Stops making blocks and saves what was not saved. */
  stop(): Promise<void>;
}

/**
 * Makes the blocks of a local chain and saves it. A block with transactions is saved before another follows it: what has
 * one confirmation survives a kill -9 of everything. The chain is left alone while nothing happens, since each empty block
 * costs 1.8 KB of its state for ever: one a second would be 150 MB a day.
 */
export function keepChain({ rpc, path, ended, log, doors: { clock, timers } }: KeepChainOptions): ChainKeeper {
  const stopping = new AbortController();
  let gone = false;
  // Blocks at once: a kill took what waited, and senders look for theirs on blocks above those that they had seen, of which it
  // may have taken some, too.
  let [toFollow, minedAt, savedAt] = [followingBlocks + 1, clock.now(), clock.now()];
  /** What the file lacks: nothing, blocks that can wait, or one that no other may follow before it is saved. */
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
      if (failure !== null && !gone) log.warn({ err: failure.error }, 'the local chain makes no blocks: one could not be made or saved');
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
      // Also what others made of the chain, such as balances that were set.
      if (!gone) await save();
    },
  };
}

async function hasWaiting(rpc: RpcClient): Promise<boolean> {
  // Those that are only queued wait for an earlier transaction of their account, not for a block.
  return rpc.ask('txpool_status', [], (value) => readInteger(readObject(value)['pending']) > 0);
}

/** @returns whether the block holds transactions */
async function mineBlock(rpc: RpcClient): Promise<boolean> {
  await rpc.request('evm_mine');
  const block = await getBlock(rpc, 'latest');
  return block !== null && block.gasUsed > 0n;
}
