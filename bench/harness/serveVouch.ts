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
  /** Its data folder (`VOUCH_DATA`). */
  folder: string;
  /** SIGTERM, and SIGKILL to what is left after 40 s; removes the folder where it was made here. */
  stop(): Promise<void>;
  /** SIGKILL to the whole process group, and nothing else: the folder stays as it is. */
  kill(): Promise<void>;
}

export interface ServeOptions {
  /** Data folder; a temporary one, removed by `stop`, where it is left out. */
  folder?: string;
  /** Further variables, e.g. limits. */
  environment?: Readonly<Record<string, string>>;
  /** Further command-line arguments of `serve`. */
  arguments?: readonly string[];
  /** Admin key of an existing folder. */
  key?: string;
  port?: number;
  /** The program of another checkout or installation. */
  program?: string;
}

// The set-up of the tests has built the programs; whoever runs a bench or a script has not.
if (process.env['VOUCH_TEST_PROGRAMS'] === undefined) await buildWhereChanged();

/** The programs of this checkout, as they are installed elsewhere. */
export const vouchProgram = fileURLToPath(new URL('../../dist/vouch.js', import.meta.url));
export const verifierProgram = fileURLToPath(new URL('../../dist/verifier/verifier', import.meta.url));

/** The first start makes a database, which takes seconds, on a slow and busy machine a minute; four mean that it hangs. */
const startTimeoutMs = 240_000;
/** The server drains within 30 s. */
const stopTimeoutMs = 40_000;

/**
 * Starts `vouch serve` in a process group of its own and waits until `/readyz` answers 200.
 * @throws Error with the end of its log where it ends or is not ready in time
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
  // Before any other await: the event comes once, on the next tick.
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

/** Sends a signal to a process group; a group that is gone is what was wanted. */
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
