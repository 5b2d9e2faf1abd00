import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../database/database.ts';

/** Subfolder of the program's scratch folder that contains the scratch folders of all attempts. */
export const jobsFolder = 'jobs';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the scratch folder of an attempt. The fence in its name tells leftovers of dead attempts from folders in use. */
export function scratchFolder(folder: string, id: string, fence: string): string {
  return join(folder, `${id}.${fence}`);
}

/**
 * Creates the scratch folder of an attempt, and removes those of earlier attempts of the same job, whose workers died or have lost the job and must
 * stop.
 */
export async function makeScratch(folder: string, id: string, fence: string): Promise<void> {
  for (const name of await readdir(folder)) {
    // If another process still writes to the folder, the removal can fail; the next start of a worker removes the folder.
    if (name.startsWith(`${id}.`)) await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
  }
  // The folder will contain data of the organization, so no other user of the machine may read it.
  await mkdir(scratchFolder(folder, id, fence), { recursive: true, mode: 0o700 });
}

/**
 * Removes scratch folders of attempts that no longer hold a fence. Folders of other workers' running attempts stay. An unknown job id belongs to
 * another database whose worker shares the folder, because job rows are never deleted.
 */
export async function removeDeadScratch(connection: Connection, folder: string): Promise<void> {
  const names = new Map((await readdir(folder)).map((name) => [name, name.slice(0, name.indexOf('.'))]));
  const ids = [...names.values()].filter((id) => uuid.test(id));
  if (ids.length === 0) return;
  const { rows } = await connection.query<{ id: string; fence: string | null }>(
    `SELECT id, CASE status WHEN 'running' THEN fence END AS fence FROM jobs WHERE id = ANY($1::uuid[])`, [ids]);
  const fences = new Map(rows.map(({ id, fence }) => [id, fence]));
  for (const [name, id] of names) {
    if (!fences.has(id) || name === `${id}.${fences.get(id)}`) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}
