import { startChild, type Child } from '@vouch/platform/process/childProcess';
import { ChildFailed } from '@vouch/platform/process/childEnd';
import type { Timers } from '@vouch/platform/process/doors';
import { findAnvil } from './findAnvil.ts';
import { localChainId } from './localChainId.ts';

interface AnvilOptions {
  /** 31337 unless told. */
  chainId?: bigint;
  /** 0, also unless told, takes any free port. */
  port?: number;
  /** A state that was dumped before; it holds the genesis, too. */
  loadState?: string;
  /** Blocks at this interval; without it a block with each transaction. */
  blockTimeSeconds?: number;
  /** Blocks with each transaction as well as at the interval. */
  mixedMining?: boolean;
  /** false: blocks only when asked for. */
  automine?: boolean;
  /** Gas limit of a block; 30 million unless told. */
  gasLimit?: bigint;
  /** What the first block holds; the clock starts at its time. Anvil's own choice unless told. */
  genesis?: Genesis;
  /** Rules of the EVM, such as `berlin`; anvil's newest unless told. */
  hardfork?: string;
  /** Folder for what anvil itself writes. */
  folder?: string;
  /** Stops it. */
  signal?: AbortSignal;
}

/**
 * All that a first block without accounts is made of. A chain that goes on from a saved state must be started with its
 * own: anvil makes a first block of its own before it loads, saves both, and at the next start either may be number 0.
 */
export interface Genesis {
  /** Seconds since the epoch. */
  timestamp: number;
  /** Wei per gas. */
  baseFee: bigint;
}

/** The saved state cannot be loaded: it is cut off, or none. */
export class AnvilStateFault extends Error {
  override readonly name = 'AnvilStateFault';
}

/** A running anvil. It dies with this process, however that ends. */
export interface Anvil {
  /** Address without a slash at its end. */
  url: string;
  port: number;
  /** Process id; null once it could not be started. */
  pid: number | null;
  /** Settles when it has ended; rejects where nobody stopped it. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * So many blocks back one can ask for balances and the like, or reorganise; blocks and receipts all stay. Each takes 0.6 MB
 * of memory.
 */
const statesKept = 128;
/** A state of hundreds of megabytes takes a while to read. */
const startMs = 60_000;

/**
 * Starts anvil on the loopback address and waits until it listens.
 * @throws AnvilMissing; AnvilStateFault; Error with what anvil said where it does not start, e.g. a port that is taken
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
      // A signal to the process alone ends it in order, with code 0.
      if (!asked()) throw new Error('anvil ended, and nobody had stopped it.');
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
  // No well-known accounts: whoever funds such an address on a real chain loses it to everybody.
  const words = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--accounts', '0'];
  // Without a bound the whole state of every older block is written to the disk: 0.3 MB each with nothing but the contracts.
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

/** anvil logs every call on standard output, which is read away once it has named its port. */
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
      throw new Error('The local chain ended at its start.');
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
