import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder inside the data folder with one file per crash. The time of the crash is the file name. */
const crashesFolder = 'crashes';
const keptCrashes = 50;

/**
 * Records a crash and removes the oldest records beyond 50. A failure here does not prevent the restart.
 * @param {string | null} data the data folder; null if the process ended before it knew its data folder
 * @param {{ at: string, process: number | null }} crash
 */
export function recordCrash(data, crash) {
  if (data === null) return;
  const folder = join(data, crashesFolder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${crash.at.replaceAll(':', '-')}.${crash.process}.json`);
    writeFileSync(`${path}.new`, `${JSON.stringify(crash)}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
    const names = readdirSync(folder).toSorted();
    for (const name of names.slice(0, -keptCrashes)) rmSync(join(folder, name), { force: true });
  } catch (error) {
    console.error(`vouch: could not record the crash in ${folder}: ${error.message}`);
  }
}
