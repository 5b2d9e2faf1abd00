import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { EmbeddedPostgres } from '../database/embeddedPostgres.ts';
import { parseConnection } from '../database/passfile.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';

/** Waits until `look` returns true. */
export async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await systemInterfaces.timers.sleep(20);
}

/** Returns the process id of the server of a data folder, or null if it does not run. */
export async function serverPid(of: string): Promise<number | null> {
  const pid = Number.parseInt(await readFile(join(of, 'postgres/data/postmaster.pid'), 'utf8').catch(() => ''), 10);
  if (Number.isNaN(pid)) return null;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM' ? pid : null;
  }
}

/** Returns the parent process of the server. Linux only. */
export async function keeperPid(of: string): Promise<number> {
  const status = await readFile(`/proc/${await serverPid(of)}/stat`, 'utf8');
  return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Runs one statement on a new connection, and returns its rows. */
export async function sql(server: Pick<EmbeddedPostgres, 'connectionString'>, statement: string): Promise<unknown[]> {
  const client = new Client(parseConnection(server.connectionString));
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
