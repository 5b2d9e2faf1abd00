import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '@vouch/platform/product/findings';
import { platformFindings } from '@vouch/platform/product/platformFindings';
import type { Crash } from '../terminal/supervisor.ts';

/** Same value as in bin/crashRecord.js, which cannot import TypeScript. */
const crashesFolder = 'crashes';
const dayMs = 86_400_000;

/**
 * Checks whether a server or worker with this data folder has crashed in the last 24 hours.
 * @param now milliseconds since 1970
 */
export async function checkCrashes(dataFolder: string, now: number): Promise<Finding> {
  const crashes = await readCrashes(join(dataFolder, crashesFolder));
  const recent = crashes.filter(({ at }) => now - Date.parse(at) < dayMs);
  const last = recent.at(-1);
  if (last === undefined) return { status: 'ok', detail: crashes.length === 0 ? 'no crashes recorded' : `none within a day, the last at ${crashes.at(-1)?.at}` };
  const why = last.error === null ? '' : `: ${last.error.split('\n', 1)[0]}`;
  return platformFindings.found(
    'crashed',
    `${recent.length} within a day, the last at ${last.at}: vouch ${last.command} ended by ${last.ended}${why}`,
    last.ended === 'SIGKILL'
      ? 'Most often, the operating system sends SIGKILL when memory runs out. Read the system log (dmesg), add memory, or run trainings on another machine with vouch serve --no-worker.'
      : 'Please report the crash with the file that vouch support-bundle writes.',
  );
}

/** Reads the crash records, oldest first. */
export async function readCrashes(folder: string): Promise<Crash[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
  const texts = await Promise.all(names.filter((name) => name.endsWith('.json')).toSorted().map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => parseCrash(text) ?? []);
}

function parseCrash(text: string): Crash | null {
  try {
    const crash = JSON.parse(text) as Crash;
    return Number.isNaN(Date.parse(crash.at)) || typeof crash.ended !== 'string' ? null : crash;
  } catch {
    return null;
  }
}
