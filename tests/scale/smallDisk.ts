import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, rmdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const blockBytes = 2 ** 20;

/** A small in-memory file system that a test can fill. */
export interface SmallDisk {
  folder: string;
  /** Fills the disk and leaves `leaveBytes` bytes free. */
  fill(leaveBytes: number): Promise<void>;
  /** Frees the space taken by `fill`. */
  empty(): Promise<void>;
  /** Unmounts the disk and discards its content. */
  remove(): Promise<void>;
}

/** Returns why this machine cannot mount a small disk, or null. */
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
      // A process that is still ending may use the folder. A lazy unmount takes effect when the last process has ended.
      await execute('umount', ['-l', folder]);
      await rmdir(folder);
    },
  };
}
