import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { Problem } from '../errors/problem.ts';
import type { Random } from '../process/doors.ts';
import type { Blobs } from './blobs.ts';
import { findUnnamed } from './namedBlobs.ts';

/**
 * Whose blobs a store holds:
 * - `this`: this database's.
 * - `disputed`: this installation's, but another copy of its database has marked it since: the original of a restored backup, or its copy.
 * - `another`: another installation's.
 * - `nobody`: there is no mark, and `unnamed` is a blob that this database does not name, so that it may be another's.
 */
export type StoreOwner = { owner: 'this' } | { owner: 'disputed' } | { owner: 'another' } | { owner: 'nobody'; unnamed: string };

/** An owner with the mark by which it was found. */
export interface Settled {
  owner: StoreOwner;
  mark: string | null;
}

export interface Store {
  blobs: Blobs;
  database: Database;
  random: Random;
  /** Each gives one text column with the blobs that rows name; see `Product.blobReferences`. None may be left out. */
  references: readonly string[];
}

/** Name of the election that a collection wins; who wins it instead keeps blobs from being collected meanwhile. */
export const collectionName = 'collect-blobs';

interface Installation {
  id: string;
  turns: readonly string[];
  /** The mark of releases before installations had ids, made from the secret of links; null where there is no secret. */
  formerMark: string | null;
}

/** Those releases marked a store before the secret was made, and so all of them alike: this mark says nothing. */
const nobodysMark = hashOf('owner of blobs ');
const markPattern = /^vouch installation ([0-9a-f-]{36}) ([0-9a-f-]{36}|disputed)$/;

/**
 * Settles at a start whose the store is, before this process puts a blob into it, and marks a store that is nobody's.
 * Where another process of this database collects or backs up at the moment, that one settles copies.
 */
export async function openStore(store: Store): Promise<StoreOwner> {
  return await store.database.elect(collectionName, async () => (await settleOwner(store)).owner) ?? judge(store, await store.blobs.owner(), 'any');
}

/** Whose the store is, without marking anything. */
export async function readStoreOwner(store: Store): Promise<StoreOwner> {
  const read = async (turns: 'known' | 'any'): Promise<StoreOwner> => judge(store, await store.blobs.owner(), turns);
  return await store.database.elect(collectionName, () => read('known')) ?? read('any');
}

/**
 * Decides whose the store is, and marks it anew where it is this database's. Of two copies of a database, the one that
 * does so second finds a mark that it does not know; it marks the store as disputed, which stops the other one too.
 * For the winner of the election `collectionName` only.
 */
export async function settleOwner(store: Store): Promise<Settled> {
  const mark = await store.blobs.owner();
  const owner = await judge(store, mark, 'known');
  if (owner.owner === 'this') return takeTurn(store, mark);
  if (owner.owner === 'disputed') {
    const { id } = await readInstallation(store.database);
    const disputed = markOf(id, 'disputed');
    if (mark !== disputed) await store.blobs.setOwner(disputed, mark).catch(ignoreFull);
  }
  return { owner, mark };
}

/**
 * Makes the store this installation's, whosever it was. The installation gets a new id, so that a copy of its database
 * loses the store, and every tombstone a new day.
 * @returns false where another process of this database collects or backs up, so that nothing was changed
 */
export async function claimStore({ blobs, database, random }: Omit<Store, 'references'>): Promise<boolean> {
  const claimed = await database.elect(collectionName, async () => {
    const mark = await blobs.owner();
    const [id, turn] = [random.uuid(), random.uuid()];
    await database.transaction(async (transaction) => {
      await transaction.query('update installation set id = $1, turn = $2, next_turn = $2', [id, turn]);
      await transaction.query('delete from blob_tombstones');
    });
    if (!(await blobs.setOwner(markOf(id, turn), mark))) throw new Error(`The owner of ${blobs.place} was changed at the same time. Try again.`);
    return true;
  });
  return claimed ?? false;
}

async function judge({ blobs, database, references }: Store, mark: string | null, turns: 'known' | 'any'): Promise<StoreOwner> {
  const installation = await readInstallation(database);
  if (mark === null || mark === nobodysMark) {
    const unnamed = await findUnnamed(blobs, database, references);
    return unnamed === null ? { owner: 'this' } : { owner: 'nobody', unnamed };
  }
  if (mark === installation.formerMark) return { owner: 'this' };
  const [, id, turn = ''] = markPattern.exec(mark) ?? [];
  if (id !== installation.id) return { owner: 'another' };
  return { owner: turns === 'any' || installation.turns.includes(turn) ? 'this' : 'disputed' };
}

/** First the row, then the store: whichever of the two turns the store carries after a crash, the row has it. */
async function takeTurn(store: Store, mark: string | null): Promise<Settled> {
  const [, , seen] = markPattern.exec(mark ?? '') ?? [];
  const next = store.random.uuid();
  try {
    const { rows } = await store.database.query<{ id: string }>(
      'update installation set turn = coalesce($1, turn), next_turn = $2 returning id', [seen ?? null, next]);
    const wanted = markOf(rows[0]?.id ?? '', next);
    if (await store.blobs.setOwner(wanted, mark)) return { owner: { owner: 'this' }, mark: wanted };
    const other = await store.blobs.owner();
    return { owner: await judge(store, other, 'known'), mark: other };
  } catch (error) {
    // A store that carries its mark stays this database's, or a full disk would keep the collection from freeing space.
    if (seen === undefined) throw error;
    ignoreFull(error);
    return { owner: { owner: 'this' }, mark };
  }
}

async function readInstallation(database: Pick<Database, 'query'>): Promise<Installation> {
  const { rows } = await database.query<{ id: string; turn: string; next_turn: string; secret: string | null }>(
    'select id, turn, next_turn, (select secret from link_secret) as secret from installation');
  const row = rows[0];
  if (row === undefined) throw new Error('the table installation has no row: restore it from a backup');
  return {
    id: row.id,
    turns: [row.turn, row.next_turn],
    formerMark: row.secret === null ? null : hashOf(`owner of blobs ${row.secret}`),
  };
}

function markOf(id: string, turn: string): string {
  return `vouch installation ${id} ${turn}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function ignoreFull(error: unknown): void {
  if (!(error instanceof Problem) || error.code !== 'storage-full') throw error;
}
