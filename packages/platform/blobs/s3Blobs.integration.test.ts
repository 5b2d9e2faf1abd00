import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { BlobCache } from './blobCache.ts';
import type { Blobs } from './blobs.ts';
import { describeBlobs } from '../testing/blobs.suite.ts';
import { createS3Blobs } from './s3Blobs.ts';
import { makeBucket, testS3Endpoint as endpoint, testS3Options } from '../testing/testStores.ts';

const options = testS3Options();

if (endpoint === undefined) {
  it.skip('S3: VOUCH_TEST_S3_ENDPOINT names no store; tests/scale/startRgw.sh starts one', () => {});
} else {
  describeBlobs('blobs in S3', async (system) => {
    await makeBucket(options);
    const folder = await mkdtemp(join(tmpdir(), 'vouch-cache-'));
    const open = (name: string) =>
      createS3Blobs(options, { folder: join(folder, name), maxBytes: 1_000_000 }, system);
    return {
      blobs: open('one'), other: open('two'), resolutionMs: 1000, close: () => rm(folder, { recursive: true, force: true }),
    };
  }, systemInterfaces);

  describe('an object store', () => {
    it('takes a blob of several parts, and gives back a range across their border', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'vouch-cache-'));
      const blobs = createS3Blobs(options, { folder, maxBytes: 100_000_000 }, systemInterfaces);
      const content = randomBytes(20_000_000);
      const { name } = await blobs.putStream(Readable.from([content.subarray(0, 9_999_999), content.subarray(9_999_999)]));
      const border = 8 * 2 ** 20;
      const parts: Buffer[] = [];
      for await (const part of await blobs.read(name, { start: border - 10, end: border + 10 })) parts.push(part as Buffer);
      expect(Buffer.concat(parts)).toEqual(content.subarray(border - 10, border + 10));
      expect((await readFile(await blobs.localPath(name))).equals(content)).toBe(true);
      await blobs.remove(name);
      await rm(folder, { recursive: true });
    });

    it('that has no such bucket fails its check with a sentence that names it', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'vouch-cache-'));
      const blobs = createS3Blobs({ ...options, bucket: 'no-such-bucket' }, { folder, maxBytes: 1 }, systemInterfaces);
      await expect(blobs.check()).rejects.toThrow(`the bucket no-such-bucket at ${endpoint} cannot be written: `);
      await rm(folder, { recursive: true });
    });
  });
}

describe('an object store that is away', () => {
  const to = async (at: string): Promise<Blobs> => {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-cache-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return createS3Blobs({ ...options, endpoint: at }, { folder, maxBytes: 1_000_000 }, systemInterfaces);
  };
  const name = `sha256-${'0'.repeat(64)}`;

  it('is a problem that says so, whatever was asked, and for the operator by its address', async () => {
    const blobs = await to('http://127.0.0.1:1');
    const unavailable = { code: 'storage-unavailable', status: 503, headers: { 'retry-after': '15' }, detail: expect.stringContaining('(ECONNREFUSED)') as string };
    await expect(blobs.putStream(Readable.from(['content']))).rejects.toMatchObject(unavailable);
    await expect(blobs.read(name)).rejects.toMatchObject(unavailable);
    await expect(blobs.localPath(name)).rejects.toMatchObject(unavailable);
    await expect(blobs.remove(name)).rejects.toMatchObject(unavailable);
    await expect(blobs.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(unavailable);
    await expect(blobs.check()).rejects.toThrow(`the bucket ${options.bucket} at http://127.0.0.1:1 cannot be written: connect ECONNREFUSED`);
  });

  it('is the same problem where it breaks off in the middle of a blob, of which nothing is kept', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => setTimeout(() => response.destroy(), 50));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const blobs = await to(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(blobs.localPath(name)).rejects.toMatchObject({ code: 'storage-unavailable' });
    server.close();
  });

  it('is told apart from one that refuses, which does not pass by itself', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>no</Message></Error>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const blobs = await to(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(blobs.read(name)).rejects.toMatchObject({ code: 'storage-unavailable', headers: {}, detail: expect.stringContaining('(AccessDenied)') as string });
    server.close();
  });
});

describe('the local cache', () => {
  const nameOf = (content: Buffer): string => `sha256-${createHash('sha256').update(content).digest('hex')}`;

  it('stays under its bound by removing what was used longest ago, but takes no file from who was given it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-cache-'));
    const contents = [randomBytes(400), randomBytes(400), randomBytes(400)] as const;
    let now = Date.now();
    const cache = new BlobCache({ folder, maxBytes: 900 }, { clock: { now: () => now }, random: systemInterfaces.random });
    const paths: string[] = [];
    for (const content of [contents[0], contents[1], contents[0], contents[2]]) {
      paths.push(await cache.get(nameOf(content), async () => Readable.from([content])));
      now += 10_000;
    }
    const kept = (await readdir(join(folder, 'kept'))).map((name) => stat(join(folder, 'kept', name)));
    expect((await Promise.all(kept)).reduce((sum, { size }) => sum + size, 0)).toBe(800);
    expect(await readFile(paths[1] ?? '')).toEqual(contents[1]);
    expect(paths[2]).toBe(paths[0]);
    await rm(folder, { recursive: true });
  });

  it('asks the store once for what many want at once, and again after a failure', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-cache-'));
    const cache = new BlobCache({ folder, maxBytes: 900 }, systemInterfaces);
    const content = randomBytes(100);
    let fetched = 0;
    const fail = async (): Promise<Readable> => { throw new Error('the store is down'); };
    await expect(cache.get(nameOf(content), fail)).rejects.toThrow('the store is down');
    const fetch = async (): Promise<Readable> => { fetched += 1; return Readable.from([content]); };
    await Promise.all(Array.from({ length: 5 }, () => cache.get(nameOf(content), fetch)));
    expect(fetched).toBe(1);
    await rm(folder, { recursive: true });
  });

  it('removes what dead processes used, whoever has their numbers now, and nothing of a living one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-cache-'));
    const content = randomBytes(100);
    const fetch = async (): Promise<Readable> => Readable.from([content]);
    const living = await new BlobCache({ folder, maxBytes: 900 }, systemInterfaces).get(nameOf(content), fetch);
    // In a container, each start can have the same process id.
    for (const dead of [`${process.pid}-${randomUUID()}`, randomUUID()]) await mkdir(join(folder, 'used', dead));
    await writeFile(join(folder, 'used', `${randomUUID()}.lock`), '');
    const next = await new BlobCache({ folder, maxBytes: 900 }, systemInterfaces).get(nameOf(content), fetch);
    expect((await readdir(join(folder, 'used'))).filter((name) => !name.endsWith('.lock'))).toHaveLength(2);
    expect(await readdir(join(folder, 'used'))).toHaveLength(4);
    for (const path of [living, next]) expect(await readFile(path)).toEqual(content);
    await rm(folder, { recursive: true });
  });

  it('refuses content that is not what its name says, and keeps nothing of it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-cache-'));
    const cache = new BlobCache({ folder, maxBytes: 900 }, systemInterfaces);
    await expect(cache.get(nameOf(randomBytes(9)), async () => Readable.from([Buffer.from('forged')]))).rejects.toThrow('does not match the name');
    expect([...await readdir(join(folder, 'incoming')), ...await readdir(join(folder, 'kept'))]).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
