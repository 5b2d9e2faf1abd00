import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { untilIdle } from './untilIdle.ts';

let folder: string;
beforeAll(async () => { folder = await mkdtemp(join(tmpdir(), 'vouch-idle-')); });
afterAll(() => rm(folder, { recursive: true }));

// Each of these ends with the close of a file or folder, or with its removal.
it.each([
  ['a written file', () => writeFile(join(folder, 'written'), 'text')],
  ['a read file', () => readFile(join(folder, 'given'))],
  ['a synced file', async () => { const file = await open(join(folder, 'synced'), 'w'); await file.sync(); await file.close(); }],
  ['a listed folder', () => readdir(folder, { recursive: true })],
  ['a removed file', () => rm(join(folder, 'given'), { force: true })],
] as const)('code is not idle before the last operation of the file system has ended: %s', async (_, work) => {
  await writeFile(join(folder, 'given'), 'x'.repeat(1_000_000));
  let ended = false;
  const working = work().then(() => { ended = true; });
  await untilIdle();
  expect(ended).toBe(true);
  await working;
});
