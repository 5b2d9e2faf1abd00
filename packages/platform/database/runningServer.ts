import { readFile, readlink, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Logger } from '../log/logger.ts';
import { DatabaseFault } from './databaseFault.ts';
import { readConnection } from './passfile.ts';
import type { PostgresSource } from './postgresBinaries.ts';

/** What the one who started the server leaves for those who attach to it. */
export interface ServerState {
  sockets: string;
  version: string;
  source: PostgresSource;
  /** Where the server's folder lay when it was started; earlier releases did not write it. */
  folder?: string;
}

/** Superuser of the embedded server. */
export const user = 'vouch';

/** File of the password of that user, in the format of libpq. */
export function passfileOf(folder: string): string {
  return join(folder, 'pgpass');
}

/** How a process of ours logs in to a database of the server; also understood by libpq. */
export function connectionStringOf(folder: string, sockets: string, database: string): string {
  return `postgresql:///${database}?host=${sockets}&user=${user}&passfile=${encodeURIComponent(passfileOf(folder))}`;
}

/**
 * Whether a server answers on a socket: `busy` while it starts, recovers or stops.
 * @throws DatabaseFault where the server refuses the password of the folder
 */
export async function ask(folder: string, sockets: string): Promise<'ready' | 'busy' | 'gone'> {
  const client = new Client({
    ...readConnection(connectionStringOf(folder, sockets, 'postgres')), connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return 'ready';
  } catch (error) {
    if (error instanceof DatabaseFault) throw error;
    if ((error as { code?: string }).code === '28P01') {
      throw new DatabaseFault(`The embedded PostgreSQL refuses the password of ${passfileOf(folder)}: stop every vouch process ` +
        'that uses this data folder and remove that file; the next start sets a new password.');
    }
    // 57P03: starting up, shutting down or in recovery.
    return (error as { code?: string }).code === '57P03' ? 'busy' : 'gone';
  }
}

/** Process id of the postmaster as it wrote it down itself. */
export async function serverProcess(folder: string): Promise<number | null> {
  const text = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
  const number = Number.parseInt(text, 10);
  return Number.isInteger(number) && number > 1 ? number : null;
}

/** Asks the postmaster for a fast shutdown. */
export async function interrupt(folder: string, log: Logger): Promise<void> {
  const pid = await serverProcess(folder);
  if (pid === null) return;
  if (process.platform === 'linux') {
    // In another container the number would name a stranger; the postmaster works in its data folder.
    const works = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    if (works !== await realpath(join(folder, 'data'))) return;
  }
  log.warn({ pid }, 'stopping a PostgreSQL that an earlier run left behind and that does not answer');
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It is gone, which is what was wanted.
  }
}

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

export async function writeState(folder: string, state: ServerState): Promise<void> {
  const path = join(folder, 'server.json');
  await writeFile(`${path}.new`, `${JSON.stringify(state)}\n`);
  await rename(`${path}.new`, path);
}
