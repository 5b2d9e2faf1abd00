import { randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '../testing/exhaustive.ts';
import type { Database } from '../database/database.ts';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { sharedTestDatabase } from '../testing/sharedTestDatabase.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import type { Blobs } from './blobs.ts';
import { collectBlobs, countTombstones, type CollectOptions } from './collectBlobs.ts';
import { claimStore, openStore } from './storeOwner.ts';
import { testStores, type TestStore } from '../testing/testStores.ts';

const hour = 3_600_000;
const references = ['SELECT blob FROM batches', 'SELECT file FROM models WHERE file IS NOT NULL'];

describe.each(testStores)('a collection in %s', (_name, openTestStore) => {
  const openDatabase = sharedTestDatabase();
  let database: TestDatabase;
  let place: TestStore;
  let blobs: Blobs;
  let lines: { msg: string; blobs?: number; bytes?: number; names?: string[] }[];
  beforeEach(async () => {
    [database, place] = await Promise.all([openDatabase(), openTestStore()]);
    await database.query('CREATE TABLE batches (blob text); CREATE TABLE models (file text)');
    blobs = place.open();
    lines = [];
    await openStore({ ...systemInterfaces, blobs, database, references });
  });
  afterEach(async () => {
    await Promise.all([database.close(), place.close()]);
  });

  const log = createLogger('info', new Writable({
    write(line: Buffer, _encoding, written) {
      lines.push(JSON.parse(line.toString()) as typeof lines[number]);
      written();
    },
  }));
  const put = async (content = randomBytes(100)): Promise<string> => (await blobs.putStream(Readable.from([content]))).name;
  const name = (blob: string) => database.query('INSERT INTO batches VALUES ($1)', [blob]);
  /** Waits longer than the store's time resolution, so that earlier and later puts have different times. */
  const wait = () => systemInterfaces.timers.sleep(place.resolutionMs + 5);
  /** Collects without a grace period, and removes tombstones after `restMs`, 0 by default. */
  const collect = async (more: Partial<CollectOptions> = {}) => {
    const done = await collectBlobs({ ...systemInterfaces, log, blobs: place.open(), database, references, graceMs: 0, restMs: 0, ...more });
    return done === null ? null : [done.marked.blobs, done.removed.blobs];
  };
  const names = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const blob of blobs.list()) found.push(blob.name);
    return found.sort();
  };

  it('marks what no row names, and removes it a day later, each with its names in the log', async () => {
    const [inBatch, inModel, unnamed] = [await put(), await put(), await put()];
    await name(inBatch);
    await database.query('INSERT INTO models VALUES ($1), (NULL)', [inModel]);
    await wait();
    const at = Date.now();
    const after = (ms: number) => collect({ clock: { now: () => at + ms }, graceMs: hour, restMs: 24 * hour });
    expect(await after(hour - 60_000)).toEqual([0, 0]);
    expect(await after(hour + 1)).toEqual([1, 0]);
    expect(await after(25 * hour)).toEqual([0, 0]);
    expect(await names()).toEqual([inBatch, inModel, unnamed].sort());
    expect(await countTombstones(database)).toEqual({ blobs: 1, bytes: 100 });
    expect(await after(25 * hour + 2)).toEqual([0, 1]);
    expect(await names()).toEqual([inBatch, inModel].sort());
    expect(await countTombstones(database)).toEqual({ blobs: 0, bytes: 0 });
    expect(lines.map(({ msg, ...rest }) => [/were marked|were removed/.exec(msg)?.[0], rest.blobs, rest.bytes, rest.names])).toEqual([
      ['were marked', 1, 100, [unnamed]], ['were removed', 1, 100, [unnamed]],
    ]);
  });

  it('leaves what gets a name before the day is over, and what loses it then gets a whole day again', async () => {
    const blob = await put();
    await wait();
    expect(await collect()).toEqual([1, 0]);
    await name(blob);
    await wait();
    expect(await collect()).toEqual([0, 0]);
    expect(lines.at(-1)).toMatchObject({ blobs: 1, names: [blob], msg: expect.stringContaining('remain') as string });
    await database.query('DELETE FROM batches');
    expect(await collect()).toEqual([1, 0]);
    await wait();
    expect(await collect()).toEqual([0, 1]);
  });

  it('leaves what is put again before the day is over, since its row may come yet', async () => {
    const content = randomBytes(100);
    const blob = await put(content);
    await wait();
    expect(await collect()).toEqual([1, 0]);
    await wait();
    await put(content);
    expect(await collect({ graceMs: hour })).toEqual([0, 0]);
    expect([await names(), await countTombstones(database)]).toEqual([[blob], { blobs: 0, bytes: 0 }]);
  });

  it('leaves what is put again between the look for its name and its removal', async () => {
    const content = randomBytes(100);
    const blob = await put(content);
    await wait();
    await collect();
    await wait();
    const racing: Blobs = { ...blobs, remove: async (which, storedBefore) => {
      await put(content);
      return blobs.remove(which, storedBefore);
    } };
    expect(await collect({ blobs: racing, graceMs: hour })).toEqual([0, 0]);
    expect(await buffer(await blobs.read(blob))).toEqual(content);
  });

  exhaustiveTest('never loses content whose put was acknowledged while its tombstone came due', async () => {
    for (let round = 0; round < (place.resolutionMs > 1 ? 4 : 40); round += 1) {
      const content = randomBytes(64);
      const blob = await put(content);
      await wait();
      await collect();
      await wait();
      await Promise.all([collect({ graceMs: hour }), systemInterfaces.timers.sleep(round % 10).then(() => place.open().putStream(Readable.from([content])))]);
      expect(await buffer(await blobs.read(blob))).toEqual(content);
      expect(await collect({ graceMs: hour })).toEqual([0, 0]);
      await name(blob);
    }
  });

  it('goes on with the tombstones of a process that died before it removed, or before it said that it had', async () => {
    const content = randomBytes(100);
    const blob = await put(content);
    await wait();
    await collect();
    await wait();
    const dying: Blobs = { ...blobs, remove: () => Promise.reject(new Error('killed')) };
    await expect(collect({ blobs: dying })).rejects.toThrow('killed');
    expect(await names()).toEqual([blob]);
    const forgetful: Database = { ...database, query: (sql, values) =>
      sql.startsWith('DELETE FROM blob_tombstones WHERE') ? Promise.reject(new Error('killed')) : database.query(sql, values) };
    await expect(collect({ database: forgetful })).rejects.toThrow('killed');
    expect([await names(), (await countTombstones(database)).blobs, lines.at(-1)?.names]).toEqual([[], 1, [blob]]);
    await wait();
    await put(content);
    expect(await collect({ graceMs: hour })).toEqual([0, 0]);
    expect([await names(), (await countTombstones(database)).blobs]).toEqual([[blob], 0]);
  });

  it('is done once by all servers of a database together', async () => {
    await put();
    await wait();
    const sum = async (step: 0 | 1): Promise<number> =>
      (await Promise.all(Array.from({ length: 4 }, () => collect()))).reduce((all, done) => all + (done?.[step] ?? 0), 0);
    const marked = await sum(0);
    await wait();
    const removed = (await collect())?.[1] ?? 0;
    expect([marked, removed <= 1, await names()]).toEqual([1, true, []]);
  });

  it('frees space also where there is none to mark the store anew', async () => {
    await put();
    await wait();
    await collect();
    await wait();
    const full: Blobs = { ...blobs, setOwner: () => Promise.reject(platformErrors.problem('storage-full', 'full')) };
    expect(await collect({ blobs: full })).toEqual([0, 1]);
  });

  it('ends where another installation takes the store over meanwhile', async () => {
    const other = await openTestDatabase();
    await Promise.all(Array.from({ length: 120 }, () => put(randomBytes(10))));
    await wait();
    expect(await collect()).toEqual([120, 0]);
    await wait();
    let removals = 0;
    const taken: Blobs = { ...blobs, remove: async (which, storedBefore) => {
      removals += 1;
      if (removals === 1) await claimStore({ ...systemInterfaces, blobs, database: other });
      return blobs.remove(which, storedBefore);
    } };
    expect(await collect({ blobs: taken })).toEqual([0, 100]);
    expect([(await names()).length, await collect()]).toEqual([20, [0, 0]]);
    await other.close();
  });

  it('touches nothing where a reference cannot be read', async () => {
    await put();
    await wait();
    await collect();
    await wait();
    await expect(collect({ references: ['SELECT gone FROM nowhere'] })).rejects.toThrow();
    expect((await names()).length).toBe(1);
  });

  exhaustiveTest('goes through more blobs than are removed at once, and names each of them in the log', async () => {
    const count = place.resolutionMs > 1 ? 250 : 1_050;
    for (let made = 0; made < count; made += 25) await Promise.all(Array.from({ length: 25 }, () => put(randomBytes(10))));
    const all = await names();
    await wait();
    expect(await collect()).toEqual([count, 0]);
    await wait();
    expect(await collect()).toEqual([0, count]);
    expect(await names()).toEqual([]);
    const told = (what: string): string[] => lines.filter(({ msg }) => msg.includes(what)).flatMap((line) => line.names ?? []).sort();
    expect([told('were marked'), told('were removed')]).toEqual([all, all]);
    expect(Math.max(...lines.map((line) => line.names?.length ?? 0))).toBe(100);
  });
});
