import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { machineChecks } from '../doctor/machineChecks.ts';
import { findScratchFault } from './scratchFault.ts';

let data: string;
beforeEach(async () => { data = await mkdtemp(join(tmpdir(), 'vouch-scratch-')); });
afterEach(() => rm(data, { recursive: true, force: true }));

const disk = async () => machineChecks(data, null).find(({ name }) => name === 'disk')?.run();

it('folders for temporary files that are yet to be made, or may be written, are no fault', async () => {
  expect(await findScratchFault(join(data, 'scratch'))).toBeNull();
  await mkdir(join(data, 'scratch', 'jobs'), { recursive: true });
  expect(await findScratchFault(join(data, 'scratch'))).toBeNull();
});

// The test uses a file in place of the folder, because root can enter any folder. For other users, a folder of another user fails
// with the same error (EACCES).
it.each(['scratch', 'scratch/jobs'])('doctor and the start name %s where temporary files cannot be written', async (name) => {
  const path = join(data, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, '');
  await chmod(path, 0o600);
  expect((await findScratchFault(join(data, 'scratch')))?.message).toContain(`${path} cannot be written (EACCES)`);
  expect(await disk()).toEqual([{ status: 'fault', code: 'scratch-unwritable', detail: expect.stringContaining(path) as string, remedy: expect.stringContaining('chown -R') as string }]);
});
