import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderFault } from '@vouch/platform/database/dataFolder';
import { makeDataFolder } from '@vouch/platform/database/makeDataFolder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { machineChecks } from './machineChecks.ts';

let folder: string;
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'vouch-machine-')); });
afterEach(() => rm(folder, { recursive: true, force: true }));

it.each(['data', 'data/below'])('doctor and the start say that VOUCH_DATA (%s) is a file, once, and do not blame the rights of the user', async (name) => {
  await writeFile(join(folder, 'data'), '');
  const path = join(folder, name);
  const checks = machineChecks(path, null).filter((check) => check.name !== 'Node');
  const found = (await Promise.all(checks.map(({ run }) => run()))).flat();
  expect(found.filter(({ status }) => status !== 'ok')).toEqual([{ status: 'fault', code: 'data-folder-is-file', detail: `${join(folder, 'data')} is a file, not a folder`, remedy: 'Set VOUCH_DATA to a folder.' }]);
  const error = await makeDataFolder(path).then(() => null, (failure: NodeJS.ErrnoException) => failure);
  expect(error).not.toBeNull();
  expect(folderFault(path, error as NodeJS.ErrnoException).message).toMatch(/a file exists at this path or at the path of a parent folder/);
});
