import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { RpcClient } from '../rpc/rpcClient.ts';
import { keepChain } from './keepChain.ts';
import type { Anvil } from './startAnvil.ts';

/** Maximum number of consecutive restarts. The delays between them start at 250 ms and double, about 8 s in total. */
const restartsMax = 5;
const waitMsFirst = 250;
/** A chain that ran this long before it ended may again be restarted restartsMax times. */
const soundMs = 300_000;

export interface RunningChain {
  anvil: Anvil;
  rpc: RpcClient;
}

interface KeepRunningOptions {
  chain: RunningChain;
  /** File of the saved chain state. */
  path: string;
  /** Starts the chain from this file, on the same port. */
  startAgain(): Promise<RunningChain>;
  log: Logger;
  system: Pick<SystemInterfaces, 'clock' | 'timers'>;
}

export interface KeptChain {
  /** Resolves when the chain was stopped; rejects if the chain ended on its own and is not restarted. */
  ended: Promise<void>;
  /** Saves the chain and stops it. */
  stop(): Promise<void>;
}

/** Mines and saves a local chain, and restarts the chain from its saved state if its process ends unexpectedly. */
export function keepRunning({ chain: first, path, startAgain, log, system }: KeepRunningOptions): KeptChain {
  const { clock, timers } = system;
  const stopping = new AbortController();
  let restarts = 0;

  /** @returns the reason why the chain ended; null if it was stopped */
  const serve = async (chain: RunningChain): Promise<{ why: unknown } | null> => {
    const began = clock.now();
    const keeper = keepChain({ rpc: chain.rpc, path, ended: chain.anvil.ended, log, system });
    const ended = chain.anvil.ended.then(() => null, (why: unknown) => ({ why }));
    const end = await Promise.race([ended, whenAborted(stopping.signal)]);
    // Waits for a save in progress, so that the next start reads a complete state.
    await keeper.stop().catch((error: unknown) => log.warn({ err: error }, 'the local chain could not be saved'));
    await endChain(chain);
    if (clock.now() - began >= soundMs) restarts = 0;
    return end;
  };
  /** @returns null if the chain was stopped in the meantime */
  const restart = async (cause: unknown): Promise<RunningChain | null> => {
    let why = cause;
    while (!stopping.signal.aborted) {
      if (restarts === restartsMax) throw givenUp(why);
      const waitMs = waitMsFirst * 2 ** restarts;
      restarts += 1;
      log.warn({ err: why, restart: restarts, wait_ms: waitMs }, 'the local chain has ended; restarting it from the saved state');
      await timers.sleep(waitMs, stopping.signal);
      if (stopping.signal.aborted) return null;
      try {
        const chain = await startAgain();
        log.info({ restart: restarts, rpc_url: chain.anvil.url }, 'the local chain was restarted');
        return chain;
      } catch (error) {
        why = error;
      }
    }
    return null;
  };
  const run = async (): Promise<void> => {
    for (let chain: RunningChain | null = first; chain !== null; ) {
      const end = await serve(chain);
      chain = end === null ? null : await restart(end.why);
    }
  };
  const ended = run();
  ended.catch((error: unknown) => log.error({ err: error }, 'the local chain is not restarted again; a new start continues with its saved state'));
  return {
    ended,
    async stop() {
      stopping.abort();
      await ended.catch(() => {});
    },
  };
}

/** Stops a chain without saving it. */
export async function endChain({ anvil, rpc }: RunningChain): Promise<void> {
  await rpc.close();
  await anvil.stop();
}

function whenAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

function givenUp(why: unknown): Error {
  const last = why instanceof Error ? why.message : String(why);
  return new Error(`The local chain ended ${restartsMax + 1} times in a row and is not started again (${last.replace(/\.$/, '')}). ` +
    'Fix the cause and restart it: it continues with the saved state.', { cause: why });
}
