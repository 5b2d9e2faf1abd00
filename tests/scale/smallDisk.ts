import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, rmdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const blockBytes = 2 ** 20;

/** A file system in memory that can be filled up. */
export interface SmallDisk {
  folder: string;
  /** Takes all space but so many bytes. */
  fill(leaveBytes: number): Promise<void>;
  /** Gives the space back. */
  empty(): Promise<void>;
  /** Takes the disk away; what is on it is gone. */
  remove(): Promise<void>;
}

/** Why no small disk can be made here, or null. */
export async function whyNoSmallDisk(): Promise<string | null> {
  if (process.platform !== 'linux') return 'a tmpfs needs Linux';
  if (process.getuid?.() !== 0) return 'mounting a tmpfs needs root';
  const disk = await mountSmallDisk(1).catch((error: Error) => error);
  if (disk instanceof Error) return `mounting a tmpfs failed: ${disk.message}`;
  await disk.remove();
  return null;
}

export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-disk-'));
  try {
    await execute('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder]);
  } catch (error) {
    await rmdir(folder);
    throw error;
  }
  const filler = join(folder, 'filler');
  const empty = (): Promise<void> => rm(filler, { force: true });
  return {
    folder,
    empty,
    async fill(leaveBytes) {
      await empty();
      const { bavail, bsize } = await statfs(folder);
      const file = await open(filler, 'w');
      try {
        const block = Buffer.alloc(blockBytes);
        for (let rest = bavail * bsize - leaveBytes; rest > 0; rest -= blockBytes) {
          await file.write(block, 0, Math.min(blockBytes, rest));
        }
      } finally {
        await file.close();
      }
    },
    async remove() {
      // A process that still ends may hold the folder: lazy, so that the mount goes when it is gone.
      await execute('umount', ['-l', folder]);
      await rmdir(folder);
    },
  };
}
