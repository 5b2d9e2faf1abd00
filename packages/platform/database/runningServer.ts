import { readFile, readlink, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Logger } from '../log/logger.ts';
import { DatabaseFault } from './databaseFault.ts';
import { parseConnection } from './passfile.ts';
import type { PostgresSource } from './postgresBinaries.ts';

/** State of the running server. The process that starts the server writes it; processes that attach read it. */
export interface ServerState {
  sockets: string;
  version: string;
  source: PostgresSource;
  /** Path of the server's folder at its start. Missing in files of earlier releases. */
  folder?: string;
  /** The server's keeper holds a lock on `keeper.lock`. Missing in files of earlier releases, whose keepers do not. */
  keeperLock?: true;
}

/** Name of the superuser of the embedded server. */
export const user = 'vouch';

/** Returns the path of this user's password file, in libpq's format. */
export function passfileOf(folder: string): string {
  return join(folder, 'pgpass');
}

/** Returns the URL with which a process logs in to a database of the server. libpq understands this URL too. */
export function connectionStringOf(folder: string, sockets: string, database: string): string {
  return `postgresql:///${database}?host=${sockets}&user=${user}&passfile=${encodeURIComponent(passfileOf(folder))}`;
}

/**
 * Asks whether a server answers on a socket. `busy` means that the server is starting, recovering or stopping.
 * @throws DatabaseFault if the server rejects the password of the folder
 */
export async function ask(folder: string, sockets: string): Promise<'ready' | 'busy' | 'gone'> {
  const client = new Client({
    ...parseConnection(connectionStringOf(folder, sockets, 'postgres')), connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return 'ready';
  } catch (error) {
    if (error instanceof DatabaseFault) throw error;
    if ((error as { code?: string }).code === '28P01') {
      throw new DatabaseFault(`The embedded PostgreSQL rejects the password in ${passfileOf(folder)}: stop every vouch process ` +
        'that uses this data folder, and delete the file; the next start sets a new password.');
    }
    // 57P03: the server is starting up, shutting down or in recovery.
    return (error as { code?: string }).code === '57P03' ? 'busy' : 'gone';
  }
}

/** Reads the postmaster's process id from the file that the postmaster wrote. */
export async function serverProcess(folder: string): Promise<number | null> {
  const text = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
  const number = Number.parseInt(text, 10);
  return Number.isInteger(number) && number > 1 ? number : null;
}

/** Tells the postmaster to perform a fast shutdown. */
export async function interrupt(folder: string, log: Logger): Promise<void> {
  const pid = await serverProcess(folder);
  if (pid === null) return;
  if (process.platform === 'linux') {
    // If the server runs in another container, the process id belongs to an unrelated process here. The postmaster's working directory is its data
    // folder.
    const works = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    if (works !== await realpath(join(folder, 'data'))) return;
  }
  log.warn({ pid }, 'stopping an unresponsive PostgreSQL server of an earlier run');
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // The process has already ended.
  }
}

/** Reads the state of the server of a folder. Null if the file is missing, or has no socket folder that Vouch created. */
export async function readState(folder: string): Promise<ServerState | null> {
  const text = await readFile(join(folder, 'server.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const state = JSON.parse(text) as ServerState;
    return typeof state.sockets === 'string' && state.sockets.startsWith('/tmp/vouch-') ? state : null;
  } catch {
    return null;
  }
}

/** Writes the state of the server atomically: readers see the old file or the new one. */
export async function writeState(folder: string, state: ServerState): Promise<void> {
  const path = join(folder, 'server.json');
  await writeFile(`${path}.new`, `${JSON.stringify(state)}\n`);
  await rename(`${path}.new`, path);
}
