import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { Problem } from '../errors/problem.ts';
import type { Random, Timers } from '../process/systemInterfaces.ts';
import type { Blobs } from './blobs.ts';
import { findUnnamed } from './namedBlobs.ts';

/**
 * The owner of the blobs in a store:
 * - `this`: this database.
 * - `disputed`: this installation, but another copy of its database has marked the store since. Such a copy exists after a backup was restored beside
 *   its original.
 * - `another`: another installation.
 * - `nobody`: the store has no mark. This database does not name the blob `unnamed`, so the store may belong to another installation.
 */
export type StoreOwner = { owner: 'this' } | { owner: 'disputed' } | { owner: 'another' } | { owner: 'nobody'; unnamed: string };

/** An owner, with the store's mark from which the owner was decided. */
export interface Settled {
  owner: StoreOwner;
  mark: string | null;
}

/** A blob store, with the database whose rows name its blobs. */
export interface Store {
  blobs: Blobs;
  database: Database;
  random: Random;
  /** Statements that select one text column with the blob names of rows each; see `Product.blobReferences`. All statements must be included. */
  references: readonly string[];
}

/**
 * Name of the election that a collection must win. A process that wins this election for other work, e.g. a backup, prevents collections meanwhile.
 */
export const collectionName = 'collect-blobs';

interface Installation {
  id: string;
  turns: readonly string[];
  /** The mark that releases before installation ids wrote: a hash of the secret of signed links. Null if there is no such secret. */
  formerMark: string | null;
}

/**
 * The mark that releases before installation ids wrote while their database had no secret of signed links. All installations wrote this same mark, so
 * the mark identifies no installation.
 */
const nobodysMark = hashOf('owner of blobs ');
const markPattern = /^vouch installation ([0-9a-f-]{36}) ([0-9a-f-]{36}|disputed)$/;

/** Longest wait at startup, ms, for another process to mark a store. A backup of a store that nobody owns may run for hours, which must not keep servers from starting. */
const maxMarkWaitMs = 10_000;
const markPollMs = 250;

/**
 * Decides at startup who owns the store, before this process puts a blob into it, and marks a store that has no owner. If another process of this
 * database is collecting or backing up at that moment, that process detects copies of the database instead. If it has not marked the store yet, this
 * process waits: a blob that it puts before the mark, and that no row names yet, would look like the blob of another installation.
 */
export async function openStore({ timers, ...store }: Store & { timers: Timers }): Promise<StoreOwner> {
  for (let waitedMs = 0; ; waitedMs += markPollMs) {
    const settled = await store.database.elect(collectionName, () => settleOwner(store));
    if (settled !== null) return settled.owner;
    const mark = await store.blobs.owner();
    if (!isUnmarked(mark) || waitedMs >= maxMarkWaitMs) return judge(store, mark, 'any');
    await timers.sleep(markPollMs);
  }
}

/** Returns the owner of the store without writing a mark. */
export async function findStoreOwner(store: Store): Promise<StoreOwner> {
  const read = async (turns: 'known' | 'any'): Promise<StoreOwner> => judge(store, await store.blobs.owner(), turns);
  return await store.database.elect(collectionName, () => read('known')) ?? read('any');
}

/**
 * Decides who owns the store, and writes a new mark if this database owns the store. If two copies of a database use one store, the second copy to
 * call this function finds a mark that it does not know. The second copy then marks the store as disputed, which stops the first copy too. Only the
 * winner of the election `collectionName` may call this function.
 */
export async function settleOwner(store: Store): Promise<Settled> {
  const mark = await store.blobs.owner();
  const owner = await judge(store, mark, 'known');
  if (owner.owner === 'this') return takeTurn(store, mark);
  if (owner.owner === 'disputed') {
    const { id } = await fetchInstallation(store.database);
    const disputed = markOf(id, 'disputed');
    if (mark !== disputed) await store.blobs.setOwner(disputed, mark).catch(ignoreFull);
  }
  return { owner, mark };
}

/**
 * Makes this installation the owner of the store, whoever owned the store before. The installation gets a new id, so a copy of its database no longer
 * owns the store. All tombstones are deleted, so each blob is kept for at least another day.
 * @returns false if another process of this database is collecting or backing up; then nothing is changed
 * @throws Error if another process changed the owner at the same time
 */
export async function claimStore({ blobs, database, random }: Omit<Store, 'references'>): Promise<boolean> {
  const claimed = await database.elect(collectionName, async () => {
    const mark = await blobs.owner();
    const [id, turn] = [random.uuid(), random.uuid()];
    await database.transaction(async (transaction) => {
      await transaction.query('UPDATE installation SET id = $1, turn = $2, next_turn = $2', [id, turn]);
      await transaction.query('DELETE FROM blob_tombstones');
    });
    if (!(await blobs.setOwner(markOf(id, turn), mark))) throw new Error(`The owner of ${blobs.place} was changed concurrently. Try again.`);
    return true;
  });
  return claimed ?? false;
}

async function judge({ blobs, database, references }: Store, mark: string | null, turns: 'known' | 'any'): Promise<StoreOwner> {
  const installation = await fetchInstallation(database);
  if (isUnmarked(mark)) {
    const unnamed = await findUnnamed(blobs, database, references);
    return unnamed === null ? { owner: 'this' } : { owner: 'nobody', unnamed };
  }
  if (mark === installation.formerMark) return { owner: 'this' };
  const [, id, turn = ''] = markPattern.exec(mark ?? '') ?? [];
  if (id !== installation.id) return { owner: 'another' };
  return { owner: turns === 'any' || installation.turns.includes(turn) ? 'this' : 'disputed' };
}

function isUnmarked(mark: string | null): boolean {
  return mark === null || mark === nobodysMark;
}

/** Writes the row before the store. After a crash, the store has one of the two turns, and the row contains both. */
async function takeTurn(store: Store, mark: string | null): Promise<Settled> {
  const [, , seen] = markPattern.exec(mark ?? '') ?? [];
  const next = store.random.uuid();
  try {
    const { rows } = await store.database.query<{ id: string }>(
      'UPDATE installation SET turn = coalesce($1, turn), next_turn = $2 RETURNING id', [seen ?? null, next]);
    const wanted = markOf(rows[0]?.id ?? '', next);
    if (await store.blobs.setOwner(wanted, mark)) return { owner: { owner: 'this' }, mark: wanted };
    const other = await store.blobs.owner();
    return { owner: await judge(store, other, 'known'), mark: other };
  } catch (error) {
    // If the store has a mark of this database, the database stays the owner even if the new mark cannot be written. Otherwise a full disk would stop
    // the collection that frees space.
    if (seen === undefined) throw error;
    ignoreFull(error);
    return { owner: { owner: 'this' }, mark };
  }
}

async function fetchInstallation(database: Pick<Database, 'query'>): Promise<Installation> {
  const { rows } = await database.query<{ id: string; turn: string; next_turn: string; secret: string | null }>(
    'SELECT id, turn, next_turn, (SELECT secret FROM link_secret) AS secret FROM installation');
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
