import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { platformErrors } from '../errors/platformErrors.ts';
import type { TestDatabase } from '../testing/testDatabase.ts';
import { sharedTestDatabase } from '../testing/sharedTestDatabase.ts';
import { openLinkSigner } from '../http/linkSecret.ts';
import { systemInterfaces, type Timers } from '../process/systemInterfaces.ts';
import type { Blobs } from './blobs.ts';
import { claimStore, collectionName, openStore, findStoreOwner, settleOwner, type Store, type StoreOwner } from './storeOwner.ts';
import { testStores, type TestStore } from '../testing/testStores.ts';

const { random, timers } = systemInterfaces;
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe.each(testStores)('the owner of %s', (_name, openTestStore) => {
  const [openMine, openOther] = [sharedTestDatabase(), sharedTestDatabase()];
  let mine: TestDatabase;
  let other: TestDatabase;
  let place: TestStore;
  let blobs: Blobs;
  beforeEach(async () => {
    [mine, other, place] = await Promise.all([openMine(), openOther(), openTestStore()]);
    for (const database of [mine, other]) await database.query('CREATE TABLE batches (blob text)');
    blobs = place.open();
  });
  afterEach(async () => {
    await Promise.all([mine.close(), other.close(), place.close()]);
  });

  const storeOf = (database: TestDatabase): Store & { timers: Timers } => ({ blobs: place.open(), database, random, timers, references: ['SELECT blob FROM batches'] });
  const put = async (text = 'a batch'): Promise<string> => (await blobs.putStream(Readable.from([text]))).name;
  const name = (database: TestDatabase, blob: string) => database.query('INSERT INTO batches VALUES ($1)', [blob]);
  const settle = async (database: TestDatabase): Promise<string> => (await settleOwner(storeOf(database))).owner.owner;

  /** Copies the rows of a database into a second database, as restoring a dump elsewhere does. */
  const copyOf = async (database: TestDatabase): Promise<void> => {
    const { rows } = await database.query<{ id: string; turn: string; next_turn: string }>('SELECT id, turn, next_turn FROM installation');
    await other.query('UPDATE installation SET id = $1, turn = $2, next_turn = $3', [rows[0]?.id, rows[0]?.turn, rows[0]?.next_turn]);
  };

  it('is the first database that opens the empty store, and never a second one, whatever that names', async () => {
    expect((await openStore(storeOf(mine))).owner).toBe('this');
    await name(other, await put());
    expect([await settle(other), (await openStore(storeOf(other))).owner, await settle(mine)]).toEqual(['another', 'another', 'this']);
  });

  it.each([
    ['a store without a mark', null], ['a store with the mark that every installation made', hashOf('owner of blobs ')],
  ])('of %s is a database that names every blob of it, and no other', async (_what, mark) => {
    await openLinkSigner(mine, systemInterfaces);
    if (mark !== null) await blobs.setOwner(mark, null);
    const [one, two] = [await put('one'), await put('two')];
    // Equal content has the same blob name in every installation.
    await name(other, one);
    await name(mine, one);
    expect(await openStore(storeOf(other))).toEqual({ owner: 'nobody', unnamed: two });
    expect([await settle(other), await settle(mine), await blobs.owner()]).toEqual(['nobody', 'nobody', mark]);
    await name(mine, two);
    expect([await settle(other), await settle(mine), await settle(other)]).toEqual(['nobody', 'this', 'another']);
  });

  it('of a store with the mark of an earlier release is the database with that secret, which marks it anew', async () => {
    await openLinkSigner(mine, systemInterfaces);
    await openLinkSigner(other, systemInterfaces);
    const { rows } = await mine.query<{ secret: string }>('SELECT secret FROM link_secret');
    await blobs.setOwner(hashOf(`owner of blobs ${rows[0]?.secret}`), null);
    await put('what no row names');
    expect([await settle(other), await settle(mine), await blobs.owner()]).toEqual(
      ['another', 'this', expect.stringMatching(/^vouch installation [0-9a-f-]{36} [0-9a-f-]{36}$/) as string]);
    await mine.query('DELETE FROM link_secret');
    expect([await settle(mine), await settle(other)]).toEqual(['this', 'another']);
  });

  it('of a store with a mark that nobody knows is another', async () => {
    await blobs.setOwner('something else', null);
    expect([await settle(mine), await blobs.owner()]).toEqual(['another', 'something else']);
  });

  it('is disputed once two copies of a database use the store, for both, until one of them claims it', async () => {
    await settle(mine);
    await copyOf(mine);
    expect([await settle(other), await settle(mine), await settle(other), await settle(mine)]).toEqual(['this', 'disputed', 'disputed', 'disputed']);
    await mine.query(`INSERT INTO blob_tombstones VALUES ('sha256-a', 1, now())`);
    expect(await claimStore(storeOf(mine))).toBe(true);
    expect((await mine.query('SELECT FROM blob_tombstones')).rowCount).toBe(0);
    expect([await settle(mine), await settle(other), await settle(mine)]).toEqual(['this', 'another', 'this']);
  });

  it('is disputed where a database comes back from before its last collection', async () => {
    await settle(mine);
    await copyOf(mine);
    expect([await settle(mine), await settle(mine), await settle(other)]).toEqual(['this', 'this', 'disputed']);
  });

  it('stays the database whose process dies between the row and the mark, or before it learns of the mark', async () => {
    await settle(mine);
    const dying = { ...storeOf(mine), blobs: { ...blobs, setOwner: () => Promise.reject(new Error('killed')) } };
    for (let round = 0; round < 3; round += 1) await expect(settleOwner(dying)).rejects.toThrow('killed');
    expect([await settle(mine), await settle(mine)]).toEqual(['this', 'this']);
    const written: Blobs = { ...blobs, setOwner: async (mark, seen) => {
      await blobs.setOwner(mark, seen);
      throw new Error('killed');
    } };
    for (let round = 0; round < 3; round += 1) await expect(settleOwner({ ...storeOf(mine), blobs: written })).rejects.toThrow('killed');
    expect([await settle(mine), await settle(mine)]).toEqual(['this', 'this']);
  });

  it('stays the database where there is no room to mark the store anew', async () => {
    await settle(mine);
    const mark = await blobs.owner();
    const full: Blobs = { ...blobs, setOwner: () => Promise.reject(platformErrors.problem('storage-full', 'full')) };
    expect(await settleOwner({ ...storeOf(mine), blobs: full })).toEqual({ owner: { owner: 'this' }, mark });
  });

  it('is the database for all processes that start on it at once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const owners = await Promise.all(Array.from({ length: 6 }, () => openStore(storeOf(mine))));
      expect(new Set(owners.map(({ owner }) => owner))).toEqual(new Set(['this']));
    }
  });

  it('is decided before the first blob is stored: a process that starts waits while another one decides, and decides itself if the other one fails', async () => {
    let opened: Promise<StoreOwner> | undefined;
    const fails = mine.elect(collectionName, async () => {
      opened = openStore(storeOf(mine)).then(async (owner) => {
        await put('a blob that no row names yet');
        return owner;
      });
      await timers.sleep(600);
      throw new Error('the store does not answer');
    });
    await expect(fails).rejects.toThrow('does not answer');
    expect([await opened, await settle(mine)]).toEqual([{ owner: 'this' }, 'this']);
  });

  it('is one of two databases that start on the empty store at once', async () => {
    await Promise.all([openStore(storeOf(mine)), openStore(storeOf(other))]);
    expect([await settle(mine), await settle(other)].sort()).toEqual(['another', 'this']);
  });

  it('is read without a change, and claimed by nobody while another process collects', async () => {
    expect([(await findStoreOwner(storeOf(mine))).owner, await blobs.owner()]).toEqual(['this', null]);
    await blobs.setOwner(`vouch installation ${randomUUID()} ${randomUUID()}`, null);
    const mark = await blobs.owner();
    expect([(await findStoreOwner(storeOf(mine))).owner, await blobs.owner()]).toEqual(['another', mark]);
    await mine.elect(collectionName, async () => {
      expect([await claimStore(storeOf(mine)), (await findStoreOwner(storeOf(mine))).owner]).toEqual([false, 'another']);
    });
    expect(await blobs.owner()).toBe(mark);
  });
});
