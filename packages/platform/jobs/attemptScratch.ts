import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../database/database.ts';

/** Folder for the scratch folders of all attempts, in the scratch folder of the program. */
export const jobsFolder = 'jobs';

/** An attempt's scratch folder; by its fence, leftovers of dead attempts are known. */
export function scratchFolder(folder: string, id: string, fence: string): string {
  return join(folder, `${id}.${fence}`);
}

/**
 * Makes the scratch folder of an attempt, and removes those of earlier attempts of its job: their workers died, or have
 * lost the job and must stop.
 */
export async function makeScratch(folder: string, id: string, fence: string): Promise<void> {
  for (const name of await readdir(folder)) {
    // Another process may still write into it; then the next start of a worker removes it.
    if (name.startsWith(`${id}.`)) await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
  }
  // Inputs and results of an attempt are the organization's data: no other user of the machine reads them.
  await mkdir(scratchFolder(folder, id, fence), { recursive: true, mode: 0o700 });
}

/** Removes scratch folders of attempts that hold no fence any more; other workers' living ones stay. */
export async function removeDeadScratch(connection: Connection, folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length === 0) return;
  const { rows } = await connection.query<{ name: string }>(
    `select id || '.' || fence as name from jobs where status = 'running'`);
  const living = new Set(rows.map(({ name }) => name));
  for (const name of names) if (!living.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}
