import { lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFileAtomically } from './writeFileAtomically.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-atomic-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('an existing file is replaced, whatever its mode, and no temporary file is left', async () => {
  const path = join(folder, 'replaced');
  await writeFile(path, 'old', { mode: 0o644 });
  await writeFileAtomically(path, 'new');
  expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['new', 0o600]);
  await writeFileAtomically(path, Buffer.from('bytes'), { mode: 0o644, unfinished: join(folder, '.replaced.tmp') });
  expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual(['bytes', 0o644]);
  expect((await readdir(folder)).filter((name) => name !== 'replaced')).toEqual([]);
});

test('a link at the temporary path is replaced, not followed', async () => {
  const path = join(folder, 'linked');
  await writeFile(join(folder, 'foreign'), 'foreign');
  await symlink(join(folder, 'foreign'), `${path}.unfinished`);
  await writeFileAtomically(path, 'secret');
  expect((await lstat(path)).isFile()).toBe(true);
  expect(await readFile(join(folder, 'foreign'), 'utf8')).toBe('foreign');
});

test('a failed write leaves what was there, and no temporary file', async () => {
  const path = join(folder, 'kept');
  await mkdir(path);
  await expect(writeFileAtomically(path, 'text')).rejects.toMatchObject({ code: 'EISDIR' });
  expect((await stat(path)).isDirectory()).toBe(true);
  await expect(stat(`${path}.unfinished`)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(writeFileAtomically(join(folder, 'missing', 'file'), 'text')).rejects.toMatchObject({ code: 'ENOENT' });
});
