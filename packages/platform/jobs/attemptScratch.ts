import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../database/database.ts';

/** Folder for the scratch folders of all attempts, in the scratch folder of the program. */
export const jobsFolder = 'jobs';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

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

/**
 * Removes scratch folders of attempts that hold no fence any more; other workers' living ones stay. A job that the database
 * does not know is another's, whose worker has the same folder: rows of jobs are never deleted.
 */
export async function removeDeadScratch(connection: Connection, folder: string): Promise<void> {
  const names = new Map((await readdir(folder)).map((name) => [name, name.slice(0, name.indexOf('.'))]));
  const ids = [...names.values()].filter((id) => uuid.test(id));
  if (ids.length === 0) return;
  const { rows } = await connection.query<{ id: string; fence: string | null }>(
    `select id, case status when 'running' then fence end as fence from jobs where id = any($1::uuid[])`, [ids]);
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  for (const [name, id] of names) {
    if (!fences.has(id) || name === `${id}.${fences.get(id)}`) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}
