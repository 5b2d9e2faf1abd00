import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from './makeFolder.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-make-folder-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a folder is made with those above it, of the given mode, and may be there already', async () => {
  const path = join(folder, 'a', 'b', 'c');
  await makeFolder(path, 0o700);
  await makeFolder(path);
  for (const made of [path, join(folder, 'a')]) expect((await stat(made)).mode & 0o777).toBe(0o700);
});

test('a file in the way is an error', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolder(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.skipIf(process.platform !== 'linux')('a folder in /proc is refused at once', async () => {
  await expect(makeFolder('/proc/vouch/data')).rejects.toMatchObject({ code: 'ENOENT' });
});
