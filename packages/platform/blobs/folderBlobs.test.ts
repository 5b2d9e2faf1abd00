import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { describeBlobs } from '../testing/blobs.suite.ts';
import { createFolderBlobs } from './folderBlobs.ts';

describeBlobs('blobs in a folder', async (system) => {
  const root = await mkdtemp(join(tmpdir(), 'vouch-blobs-'));
  return {
    blobs: createFolderBlobs(root, system),
    other: createFolderBlobs(root, system),
    resolutionMs: 1,
    close: () => rm(root, { recursive: true, force: true }),
  };
}, systemInterfaces);

describe('leftovers of dead writers', () => {
  it('are removed once nothing was written to them for an hour, younger ones stay', async () => {
    const root = await mkdtemp(join(tmpdir(), 'vouch-blobs-'));
    await mkdir(join(root, 'incoming'), { recursive: true });
    await writeFile(join(root, 'incoming', 'dead'), 'half');
    await writeFile(join(root, 'incoming', 'alive'), 'half');
    const old = Date.now() / 1000 - 3700;
    await utimes(join(root, 'incoming', 'dead'), old, old);
    const blobs = createFolderBlobs(root, systemInterfaces);
    for await (const _ of blobs.list());
    expect(await readdir(join(root, 'incoming'))).toEqual(['alive']);
    await rm(root, { recursive: true });
  });
});

describe('a removal that died half-way', () => {
  it('is undone as soon as the store is opened again: the blob may have been put again just then', async () => {
    const root = await mkdtemp(join(tmpdir(), 'vouch-blobs-'));
    const { name } = await createFolderBlobs(root, systemInterfaces).putStream(Readable.from(['content']));
    await rename(join(root, name.slice(7, 9), name.slice(9, 11), name), join(root, 'removing', `${name}-${randomUUID()}`));
    const blobs = createFolderBlobs(root, systemInterfaces);
    await blobs.check();
    expect(await text(await blobs.read(name))).toBe('content');
    expect(await readdir(join(root, 'removing'))).toEqual([]);
    await rm(root, { recursive: true });
  });
});

it('the put of a file that does not exist fails, and does not end the process', async () => {
  const root = await mkdtemp(join(tmpdir(), 'vouch-blobs-'));
  await expect(createFolderBlobs(join(root, 'store'), systemInterfaces).putFile(join(root, 'missing'))).rejects.toThrow('ENOENT');
  await rm(root, { recursive: true });
});

describe('stored files', () => {
  it('are in two levels of folders, are read-only, and leave nothing in incoming', async () => {
    const root = await mkdtemp(join(tmpdir(), 'vouch-blobs-'));
    const blobs = createFolderBlobs(root, systemInterfaces);
    const { name } = await blobs.putStream(Readable.from([Buffer.from('x')]));
    const path = join(root, name.slice(7, 9), name.slice(9, 11), name);
    expect((await stat(path)).mode & 0o222).toBe(0);
    expect(await blobs.localPath(name)).toBe(path);
    expect(await readdir(join(root, 'incoming'))).toEqual([]);
    await rm(root, { recursive: true });
  });
});

describe('check', () => {
  it('says which step failed and where', async () => {
    const root = await mkdtemp(join(tmpdir(), 'vouch-blobs-'));
    await writeFile(join(root, 'file'), '');
    const place = join(root, 'file', 'below');
    await expect(createFolderBlobs(place, systemInterfaces).check()).rejects.toThrow(`the folder ${place} cannot be written: `);
    await rm(root, { recursive: true });
  });
});
