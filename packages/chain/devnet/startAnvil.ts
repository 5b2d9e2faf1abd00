import { startChild, type Child } from '@vouch/platform/process/childProcess';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { findAnvil } from './findAnvil.ts';
import { localChainId } from './localChainId.ts';

interface AnvilOptions {
  /** Default: 31337. */
  chainId?: bigint;
  /** Default: 0, any free port. */
  port?: number;
  /** File with a saved state, including the genesis block. */
  loadState?: string;
  /** Interval of blocks. By default, each transaction gets a block at once. */
  blockTimeSeconds?: number;
  /** Mines a block for each transaction in addition to the interval. */
  mixedMining?: boolean;
  /** If false, blocks are mined only on request. */
  automine?: boolean;
  /** Gas limit of a block. Default: 30 million. */
  gasLimit?: bigint;
  /** Time and base fee of the genesis block; the chain's clock starts at this time. By default, anvil chooses both. */
  genesis?: Genesis;
  /** EVM version, such as `berlin`. Default: anvil's newest. */
  hardfork?: string;
  /** Working and cache folder of anvil. */
  folder?: string;
  /** Aborting this signal stops anvil. */
  signal?: AbortSignal;
}

/**
 * The values that determine a genesis block without accounts. Start a saved chain with the values of its own genesis: anvil creates
 * a genesis block before it loads the state and saves both blocks, so with other values block 0 may change at the next start.
 */
export interface Genesis {
  /** Seconds since the epoch. */
  timestamp: number;
  /** Wei per gas. */
  baseFee: bigint;
}

/** Thrown if the saved state cannot be loaded, for example because the file is truncated. */
export class AnvilStateFault extends Error {
  override readonly name = 'AnvilStateFault';
}

/** A running anvil process. It ends with this process, even if this process is killed. */
export interface Anvil {
  /** RPC URL without a trailing slash. */
  url: string;
  port: number;
  /** Process id; null if the process could not be started. */
  pid: number | null;
  /** Resolves when anvil was stopped; rejects if anvil ended on its own. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Number of recent blocks whose state (balances, storage) can be queried or reorganized; blocks and receipts are kept forever. Each
 * state takes 0.6 MB of memory.
 */
const statesKept = 128;
/** Time limit of a start. Loading a state of hundreds of megabytes is slow. */
const startMs = 60_000;

/**
 * Starts anvil on 127.0.0.1 and waits until anvil listens.
 * @throws AnvilMissing; AnvilStateFault; Error with anvil's own message if anvil cannot start, for example because the port is in use
 * @example
 * const anvil = await startAnvil({ port: 8545 }, systemInterfaces.timers);
 */
export async function startAnvil(options: AnvilOptions, timers: Timers): Promise<Anvil> {
  const child = startChild({
    name: 'anvil',
    command: findAnvil(),
    args: argumentsOf(options),
    stdout: 'pipe',
    ...(options.folder === undefined ? {} : { cwd: options.folder }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    killGraceMs: 5_000,
  }, timers);
  let stopped = false;
  const stop = async (): Promise<void> => {
    stopped = true;
    child.stop({ kind: 'cancelled' });
    await child.done.catch(() => {});
  };
  try {
    const port = await listeningPort(child, timers);
    const asked = (): boolean => stopped || options.signal?.aborted === true;
    const ended = child.done.then(() => {
      // A signal sent directly to anvil ends it with code 0.
      if (!asked()) throw new Error('anvil ended unexpectedly.');
    }, (error: unknown) => {
      if (!asked()) throw error;
    });
    ended.catch(() => {});
    return { url: `http://127.0.0.1:${port}`, port, pid: child.pid, ended, stop };
  } catch (error) {
    await stop();
    throw error instanceof ChildFailed ? startFault(error) : error;
  }
}

function argumentsOf(options: AnvilOptions): string[] {
  const { port = 0, chainId = BigInt(localChainId), gasLimit, blockTimeSeconds, loadState, mixedMining, automine, genesis, hardfork, folder } = options;
  // No well-known accounts: funds sent to their addresses on a real chain can be taken by anyone.
  const words = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--accounts', '0'];
  // Without this limit, anvil writes the full state of every older block to disk: at least 0.3 MB each.
  words.push('--prune-history', String(statesKept));
  if (gasLimit !== undefined) words.push('--gas-limit', String(gasLimit));
  if (blockTimeSeconds !== undefined) words.push('--block-time', String(blockTimeSeconds));
  if (mixedMining) words.push('--mixed-mining');
  if (automine === false) words.push('--no-mining');
  if (loadState !== undefined) words.push('--load-state', loadState);
  if (genesis !== undefined) words.push('--timestamp', String(genesis.timestamp), '--block-base-fee-per-gas', String(genesis.baseFee));
  if (hardfork !== undefined) words.push('--hardfork', hardfork);
  if (folder !== undefined) words.push('--cache-path', folder);
  return words;
}

/** Waits for anvil's line with its port. anvil logs every call to standard output; the listener discards this output afterwards. */
async function listeningPort({ stdout, done }: Child, timers: Timers): Promise<number> {
  const given = new AbortController();
  let said = '';
  const listening = new Promise<number>((resolve) => {
    stdout?.on('data', (part: Buffer) => {
      if (given.signal.aborted) return;
      said += part.toString('utf8');
      const port = /Listening on \S+:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
  const late = timers.sleep(startMs, given.signal).then(() => {
    if (!given.signal.aborted) throw new Error(`The local chain did not start within ${startMs / 1000} s.`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([listening, late.then(() => 0), done.then(() => {
      throw new Error('The local chain ended during its start.');
    })]);
  } finally {
    given.abort();
    said = '';
  }
}

function startFault(error: ChildFailed): Error {
  const first = error.stderrTail.split('\n').map((line) => line.trim()).find((line) => line !== '');
  const said = (first ?? error.message).slice(0, 500).replace(/\.$/, '');
  const Fault = said.includes('--load-state') ? AnvilStateFault : Error;
  return new Fault(`The local chain did not start: ${said}.`, { cause: error });
}
