import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const execute = promisify(execFile);

/** Runs a shell script that may mount file systems in its own mount namespace. `unshare` needs root or user namespaces. */
const unshared = (script: string, args: readonly string[]) =>
  execute('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-ec', script, 'sh', ...args]);

const mountable = await unshared('mount -t tmpfs -o size=1m tmpfs /mnt', []).then(() => true, () => false);

it.skipIf(!mountable)('a full disk gives storage-full, leaves nothing behind, and what was there is still read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-full-'));
  const { stdout } = await unshared('mount -t tmpfs -o size=1m tmpfs "$1"; shift; exec "$@"', [
    folder, process.execPath, '--import', import.meta.resolve('tsx'),
    fileURLToPath(new URL('../testing/children/fillDisk.ts', import.meta.url)), folder,
  ]);
  expect(JSON.parse(stdout)).toEqual({
    first: 200_000, code: 'storage-full', status: 507, incoming: [], readAgain: 200_000, afterRoom: 300_000,
  });
  await rm(folder, { recursive: true });
});
