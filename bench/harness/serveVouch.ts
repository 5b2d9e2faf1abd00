import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@vouch/platform/testing/freePort';
import { buildWhereChanged } from '../../scripts/build/build.js';

/** A running `vouch serve` with an admin key. */
export interface ServedVouch {
  url: string;
  key: string;
  processId: number;
  /** Data folder of the server (`VOUCH_DATA`). */
  folder: string;
  /** Sends SIGTERM, and SIGKILL to processes that remain after 40 s. Removes the data folder if `serveVouch` created it. */
  stop(): Promise<void>;
  /** Sends SIGKILL to the whole process group. Keeps the data folder. */
  kill(): Promise<void>;
}

export interface ServeOptions {
  /** Data folder. Default: a temporary folder that `stop` removes. */
  folder?: string;
  /** Additional environment variables, e.g. limits. */
  environment?: Readonly<Record<string, string>>;
  /** Additional command-line arguments of `serve`. */
  arguments?: readonly string[];
  /** Admin key of an existing data folder. */
  key?: string;
  port?: number;
  /** Path of the program of a different checkout or installation. */
  program?: string;
}

// In tests, the global set-up has built the programs. Benchmarks and scripts build them here.
if (process.env['VOUCH_TEST_PROGRAMS'] === undefined) await buildWhereChanged();

/** Programs of this checkout, in the form in which users install them. */
export const vouchProgram = fileURLToPath(new URL('../../dist/vouch.js', import.meta.url));
export const verifierProgram = fileURLToPath(new URL('../../dist/verifier/verifier', import.meta.url));

/**
 * The first start creates a database, which takes seconds, or a minute on a slow and busy machine. A start of four minutes hangs.
 */
const startTimeoutMs = 240_000;
/** The server finishes open requests within 30 s. */
const stopTimeoutMs = 40_000;

/**
 * Starts `vouch serve` in a separate process group and waits until `/readyz` returns 200.
 * @throws Error with the last lines of the log if the server ends or does not become ready in time
 * @example
 * const vouch = await serveVouch({ environment: { VOUCH_RATE_LIMIT: '0' } });
 * try { … } finally { await vouch.stop(); }
 */
export async function serveVouch(options: ServeOptions = {}): Promise<ServedVouch> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'vouch-bench-')));
  const key = options.key ?? `bench-${randomBytes(24).toString('hex')}`;
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const logPath = join(folder, 'serve.log');
  const log = await open(logPath, 'a');
  const child = spawn(process.execPath, [options.program ?? vouchProgram, 'serve', ...(options.arguments ?? [])], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: {
      ...process.env, HOST: '127.0.0.1', PORT: String(port), VOUCH_DATA: folder, VOUCH_ADMIN_KEY: key, ...options.environment,
    },
  });
  // Must be the first await, because the event is emitted once, on the next tick.
  await once(child, 'spawn');
  await log.close();
  const processId = child.pid as number;
  const kill = async (): Promise<void> => {
    signalGroup(processId, 'SIGKILL');
    await ended(child);
  };
  try {
    await untilReady(url, child);
  } catch (error) {
    await kill();
    const text = await readFile(logPath, 'utf8').catch(() => '');
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    throw new Error(`${(error as Error).message}\n${text.slice(-4_000)}`, { cause: error });
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (!(await endedWithin(child, stopTimeoutMs))) await kill();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  };
  return { url, key, processId, folder, stop, kill };
}

/** Sends a signal to a process group. Ignores a group that has already ended. */
export function signalGroup(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-processId, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`vouch serve ended with ${child.exitCode ?? child.signalCode} before it was ready`);
    }
    const ready = await fetch(`${url}/readyz`).then((answer) => answer.ok, () => false);
    if (ready) return;
    await sleep(50);
  }
  throw new Error(`vouch serve was not ready after ${startTimeoutMs / 1000} s`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function endedWithin(child: ChildProcess, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([ended(child).then(() => true), late]);
  timer.abort();
  return inTime;
}
