import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { openTestDatabase } from '../testing/testDatabase.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { createFolderBlobs } from './folderBlobs.ts';
import { sampleNamed } from './sampleNamed.ts';

it('a process that keeps its blobs elsewhere than those who stored them is found out', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-sample-'));
  const database = await openTestDatabase();
  try {
    const [mine, theirs] = [createFolderBlobs(join(folder, 'mine'), systemInterfaces), createFolderBlobs(join(folder, 'theirs'), systemInterfaces)];
    const { name } = await theirs.putStream(Readable.from(['a batch']));
    const references = ['SELECT NULL::text WHERE false', `SELECT '${name}'::text`, 'SELECT NULL::text'];
    expect(await sampleNamed({ blobs: theirs, database }, references)).toEqual({ looked: 1, missing: [], read: 1, readBytes: 7, damaged: [] });
    expect(await sampleNamed({ blobs: mine, database }, references)).toEqual({ looked: 1, missing: [name], read: 0, readBytes: 0, damaged: [] });
    await expect(mine.localPath(name)).rejects.toMatchObject({ status: 503, code: 'storage-unavailable', detail: expect.stringContaining(name) as string });
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
});
