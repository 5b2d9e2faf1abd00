import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isOpenToOthers } from '@vouch/platform/database/makeDataFolder';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Finding } from '@vouch/platform/product/findings';
import type { DoctorCheck } from '@vouch/platform/product/product';
import { platformFindings } from '@vouch/platform/product/platformFindings';
import { shellWord } from '../terminal/shellWord.ts';
import { checkPort } from './portCheck.ts';
import { checkCrashes } from './crashCheck.ts';
import { findScratchFault } from '../wiring/scratchFault.ts';

const lowDiskBytes = 2e9;
const fullDiskBytes = 200e6;

/**
 * Checks that need neither a database nor a blob store.
 * @param listens null if the settings cannot be read
 */
export function machineChecks(dataFolder: string, listens: { host: string; port: number } | null): DoctorCheck[] {
  return [
    { name: 'Node', run: async () => [checkNode(process.versions.node)] },
    { name: 'disk', run: () => checkDisk(resolve(dataFolder)) },
    { name: 'data folder', run: () => checkDataFolder(resolve(dataFolder)) },
    ...(listens === null ? [] : [{ name: 'port', run: async () => [await checkPort({ ...listens, dataFolder: resolve(dataFolder) })] }]),
    { name: 'crashes', run: async () => [await checkCrashes(resolve(dataFolder), systemInterfaces.clock.now())] },
  ];
}

/**
 * Checks the version of Node.
 * @param version e.g. `20.19.0`
 */
function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return { status: 'ok', detail: `Node ${version}` };
  return platformFindings.found('node-too-old', `Node ${version} is too old`);
}

async function checkDisk(folder: string): Promise<Finding[]> {
  const existing = await firstExisting(folder);
  if (!await isFolder(existing)) return [platformFindings.found('data-folder-is-file', `${existing} is a file, not a folder`)];
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const detail = `${gigabytes(free)} free in ${existing}`;
  const writable = await access(existing, constants.W_OK).then(() => true, () => false);
  if (!writable) return [platformFindings.found('data-folder-unwritable', `${existing} cannot be written by this user`)];
  const scratchFault = await findScratchFault(join(folder, 'scratch'));
  if (scratchFault !== null) return [platformFindings.found('scratch-unwritable', scratchFault.message, `Make this user the owner of ${join(folder, 'scratch')} and its content (chown -R).`)];
  if (free < fullDiskBytes) return [platformFindings.found('disk-full', detail)];
  if (free < lowDiskBytes) return [platformFindings.found('disk-low', detail)];
  return [{ status: 'ok', detail }];
}

/** Only reports open permissions: commands restrict the permissions of the folder themselves if this user owns the folder. */
async function checkDataFolder(folder: string): Promise<Finding[]> {
  const open = await isFolder(folder).catch(() => false) ? await isOpenToOthers(folder) : null;
  if (open === null) return [{ status: 'ok', detail: `${folder} does not exist yet` }];
  if (!open) return [{ status: 'ok', detail: 'other users have no access' }];
  return [platformFindings.found(
    'data-folder-open', `other users of this machine have access to ${folder}, which contains uploaded data and secrets`,
    `As the owner, run chmod 700 ${shellWord(folder)}. If a volume sets the mode, mount the volume with mode 0700.`,
  )];
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory();
}

async function firstExisting(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const there = await access(at).then(() => true, () => false);
    if (there || at === dirname(at)) return at;
  }
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
