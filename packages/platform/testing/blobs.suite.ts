import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { BlobMissing, type Blobs, type BlobStat } from '../blobs/blobs.ts';

/** An implementation under test. */
export interface BlobsUnderTest {
  blobs: Blobs;
  /** A second instance for the same store, as another process would have. */
  other: Blobs;
  /** Resolution in ms of the times at which blobs were put. */
  resolutionMs: number;
  close(): Promise<void>;
}

/** Tests the guarantees of Blobs, which are the same for all implementations. */
export function describeBlobs(title: string, open: (system: SystemInterfaces) => Promise<BlobsUnderTest>, system: SystemInterfaces): void {
  describe(title, () => {
    let subject: BlobsUnderTest;
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'vouch-blobs-'));
      subject = await open(system);
    });
    afterAll(async () => {
      await subject.close();
      await rm(folder, { recursive: true, force: true });
    });

    it('names content by its SHA-256 and gives it back unchanged', async () => {
      const content = randomBytes(300_000);
      const blob = await subject.blobs.putStream(Readable.from([content.subarray(0, 7), content.subarray(7)]));
      expect(blob).toEqual({ name: nameOf(content), bytes: 300_000 });
      expect(await collect(await subject.other.read(blob.name))).toEqual(content);
      expect(await subject.other.stat(blob.name)).toEqual(blob);
    });

    it('stores a local file and leaves the file alone', async () => {
      const path = join(folder, 'file');
      const content = randomBytes(70_000);
      await writeFile(path, content);
      const blob = await subject.blobs.putFile(path);
      expect(blob).toEqual({ name: nameOf(content), bytes: 70_000 });
      await writeFile(path, 'changed afterwards');
      expect(await collect(await subject.blobs.read(blob.name))).toEqual(content);
    });

    it('takes a measured file over, which may be removed afterwards, also where its content is there already', async () => {
      const content = randomBytes(70_000);
      const blob = { name: nameOf(content), bytes: 70_000 };
      for (const path of [join(folder, 'first'), join(folder, 'second')]) {
        await writeFile(path, content);
        expect(await subject.blobs.adoptFile(path, blob)).toEqual(blob);
        await rm(path);
        expect(await collect(await subject.other.read(blob.name))).toEqual(content);
      }
    });

    it('refuses a file that is not as long as it was measured', async () => {
      const path = join(folder, 'cut');
      const content = randomBytes(1_000);
      await writeFile(path, content.subarray(0, 999));
      await expect(subject.blobs.adoptFile(path, { name: nameOf(content), bytes: 1_000 })).rejects.toThrow('999 bytes but 1000 bytes were measured');
      expect(await subject.blobs.stat(nameOf(content))).toBeNull();
    });

    it('stores empty content', async () => {
      const blob = await subject.blobs.putStream(Readable.from([]));
      expect(blob.bytes).toBe(0);
      expect(await collect(await subject.blobs.read(blob.name))).toEqual(Buffer.alloc(0));
    });

    it('reads the part of a range that the blob has', async () => {
      const { name } = await subject.blobs.putStream(Readable.from([Buffer.from('0123456789')]));
      const read = async (start: number, end: number): Promise<string> =>
        (await collect(await subject.blobs.read(name, { start, end }))).toString();
      expect(await read(0, 10)).toBe('0123456789');
      expect(await read(2, 5)).toBe('234');
      expect(await read(8, 99)).toBe('89');
      expect(await read(10, 20)).toBe('');
      expect(await read(4, 4)).toBe('');
    });

    it('keeps nothing of a stream that fails', async () => {
      const before = await names(subject.blobs);
      const broken = async function* (): AsyncGenerator<Buffer> {
        yield randomBytes(100_000);
        throw new Error('the client went away');
      };
      await expect(subject.blobs.putStream(Readable.from(broken()))).rejects.toThrow('the client went away');
      const destroyed = new Readable({ read() { this.push(randomBytes(10)); this.destroy(); } });
      await expect(subject.blobs.putStream(destroyed)).rejects.toThrow();
      expect(await names(subject.blobs)).toEqual(before);
    });

    it('stores equal content once, also when it is put many times at once', async () => {
      const content = randomBytes(50_000);
      const puts = Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? subject.blobs : subject.other).putStream(Readable.from([content])));
      expect(new Set((await Promise.all(puts)).map((blob) => blob.name))).toEqual(new Set([nameOf(content)]));
      expect((await names(subject.blobs)).filter((name) => name === nameOf(content))).toHaveLength(1);
    });

    it('gives a local file with the content', async () => {
      const content = randomBytes(20_000);
      const { name } = await subject.blobs.putStream(Readable.from([content]));
      const paths = await Promise.all([subject.other.localPath(name), subject.other.localPath(name)]);
      for (const path of paths) expect(await readFile(path)).toEqual(content);
    });

    it('replaces the mark of an owner only where it is the one that was seen, and the mark is no blob', async () => {
      expect(await subject.blobs.owner()).toBeNull();
      expect([await subject.blobs.setOwner('one', null), await subject.other.setOwner('two', null), await subject.other.owner()]).toEqual([true, false, 'one']);
      expect([await subject.other.setOwner('two', 'three'), await subject.blobs.owner()]).toEqual([false, 'one']);
      expect([await subject.other.setOwner('two', 'one'), await subject.blobs.owner()]).toEqual([true, 'two']);
      for await (const { name } of subject.blobs.list()) expect(name).toMatch(/^sha256-/);
    });

    it('says BlobMissing for what is not there and for what is no name of a blob', async () => {
      for (const name of [nameOf(randomBytes(8)), '../../etc/passwd', 'sha256-', `sha256-${'A'.repeat(64)}`, '']) {
        await expect(subject.blobs.read(name)).rejects.toBeInstanceOf(BlobMissing);
        await expect(subject.blobs.read(name, { start: 0, end: 0 })).rejects.toBeInstanceOf(BlobMissing);
        await expect(subject.blobs.localPath(name)).rejects.toBeInstanceOf(BlobMissing);
        expect(await subject.blobs.stat(name)).toBeNull();
        expect(await subject.blobs.remove(name)).toBe(false);
      }
    });

    it('removes a blob', async () => {
      const { name } = await subject.blobs.putStream(Readable.from([randomBytes(100)]));
      expect(await subject.other.remove(name)).toBe(true);
      expect(await subject.blobs.stat(name)).toBeNull();
      await expect(subject.blobs.read(name)).rejects.toBeInstanceOf(BlobMissing);
      expect(await names(subject.blobs)).not.toContain(name);
    });

    it('lists each blob with its size and the time of its last put', async () => {
      const content = randomBytes(1234);
      const { name } = await subject.blobs.putStream(Readable.from([content]));
      const first = await listed(subject.blobs, name);
      expect(first.bytes).toBe(1234);
      expect(Math.abs(first.storedAt - system.clock.now())).toBeLessThan(60_000);
      await system.timers.sleep(1100);
      await subject.other.putStream(Readable.from([content]));
      expect((await listed(subject.blobs, name)).storedAt).toBeGreaterThan(first.storedAt);
    });

    it('removes an old blob only where it was not put again since', async () => {
      const { name } = await subject.blobs.putStream(Readable.from([randomBytes(99)]));
      const { storedAt } = await listed(subject.blobs, name);
      expect(await subject.blobs.remove(name, storedAt - 1)).toBe(false);
      expect(await subject.blobs.stat(name)).not.toBeNull();
      expect(await subject.blobs.remove(name, storedAt + subject.resolutionMs)).toBe(true);
      expect(await subject.blobs.stat(name)).toBeNull();
    });

    it('never loses content whose put was acknowledged while older copies of it were collected', async () => {
      for (let round = 0; round < 10; round += 1) {
        const content = randomBytes(64);
        const { name } = await subject.blobs.putStream(Readable.from([content]));
        const old = (await listed(subject.blobs, name)).storedAt + subject.resolutionMs;
        while (system.clock.now() <= old) await system.timers.sleep(1);
        await Promise.all([
          subject.other.remove(name, old),
          subject.blobs.putStream(Readable.from([content])),
          subject.other.putStream(Readable.from([content])),
        ]);
        expect(await collect(await subject.blobs.read(name))).toEqual(content);
      }
    });

    it('passes its own check and leaves nothing of it', async () => {
      const before = await names(subject.blobs);
      await subject.blobs.check();
      expect(await names(subject.blobs)).toEqual(before);
    });
  });
}

function nameOf(content: Buffer): string {
  return `sha256-${createHash('sha256').update(content).digest('hex')}`;
}

async function collect(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts);
}

async function names(blobs: Blobs): Promise<string[]> {
  const found: string[] = [];
  for await (const blob of blobs.list()) found.push(blob.name);
  return found.sort();
}

async function listed(blobs: Blobs, name: string): Promise<BlobStat & { storedAt: number }> {
  for await (const blob of blobs.list()) if (blob.name === name) return blob;
  throw new Error(`${name} is not listed`);
}
