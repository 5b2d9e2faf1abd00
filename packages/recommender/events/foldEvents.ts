import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Platform } from '@vouch/platform/product/product';
import { insertBatches, type NewBatch } from '../batches/batchStore.ts';
import { Converters } from '../batches/parquet/converters.ts';
import { tableColumns, type TableKind } from '../batches/scan/columns.ts';
import type { StoredEvent } from './event.ts';
import { findNewestEvent, hasUnfolded, listEventsOf } from './eventStore.ts';
import { advanceFold, findFold } from './foldStore.ts';

/** Limits of the events that one transaction folds. */
const maxRows = 100_000;
const maxBytes = 256 * 2 ** 20;
/** Maximum number of batches that one transaction adds; events with different tags are in different batches. */
const maxGroups = 32;
const pageRows = 2_000;
/** Maximum bytes of the CSV file of a group: `maxBytes` and one more page, with every quote doubled. */
const maxFileBytes = 2 ** 30;

/** Parts of the platform that a fold uses. */
export type FoldPlatform = Pick<Platform, 'blobs' | 'clock' | 'database' | 'random' | 'timers'>;

/** Converters of CSV files, of which a fold needs one. */
export type FileConverters = Pick<Converters, 'convert' | 'close'>;

/** Events of one kind with the same tags, as a CSV file. */
interface Group {
  kind: TableKind;
  tags: readonly string[];
  /** Number of the newest batch when the last event of the group arrived. */
  afterBatch: number;
  folder: string;
  path: string;
  file: WriteStream;
}

/**
 * Moves the events of an organization that are in no batch yet to batches. The transaction that adds the batches also advances the organization's
 * mark, so each event is in exactly one batch, even if several processes fold at the same time or a process is killed. Events that arrive meanwhile
 * wait for the next fold: a fold that also waited for them would not end while they arrive faster than a file is written.
 * @param how `scratch`: folder for temporary files; `converters`: closed at the end
 * @returns number of folded events
 */
export async function foldEvents(
  platform: FoldPlatform, organizationId: string,
  { scratch, signal, converters = new Converters(platform.timers) }: { scratch: string; signal: AbortSignal; converters?: FileConverters },
): Promise<number> {
  const newest = await findNewestEvent(platform.database, organizationId);
  let folded = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const folder = await mkdtemp(join(scratch, 'fold-'));
      try {
        const count = await foldOnce(platform, organizationId, { folder, signal, converters, newest });
        if (count === 0) return folded;
        folded += count;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
  } finally {
    await converters.close();
  }
}

/** Moves the events of an organization to batches if one that is in no batch yet has all of the tags. */
export async function foldTagged(
  platform: FoldPlatform & Pick<Platform, 'scratch'>, organizationId: string, tags: readonly string[], converters?: FileConverters,
): Promise<void> {
  if (!(await hasUnfolded(platform.database, organizationId, tags))) return;
  await foldEvents(platform, organizationId, { scratch: platform.scratch, signal: new AbortController().signal, ...(converters === undefined ? {} : { converters }) });
}

interface Fold {
  folder: string;
  signal: AbortSignal;
  converters: FileConverters;
  /** Number of the newest event to fold. */
  newest: number;
}

/** Folds the oldest events. @returns number of events; 0 if there are none */
async function foldOnce(platform: FoldPlatform, organizationId: string, fold: Fold): Promise<number> {
  const { database, blobs, clock, random } = platform;
  const from = await findFold(database, organizationId);
  const { groups, through, count } = await writeGroups(platform, organizationId, from, fold);
  if (count === 0) return 0;
  const batches: { batch: NewBatch; group: Group }[] = [];
  for (const group of groups) {
    const { parquetPath, rows, bytes } = await convertGroup(group, organizationId, fold);
    const { name } = await blobs.putFile(parquetPath);
    batches.push({ group, batch: { batchId: random.uuid(), kind: group.kind, blob: name, rows, csvBytes: bytes } });
  }
  await database.transaction(async (transaction) => {
    // If another process has folded these events, the blobs stay unnamed and are collected, and the next pass reads the new mark.
    if (!(await advanceFold(transaction, organizationId, from, through))) return;
    for (const { batch, group: { tags, afterBatch } } of batches) {
      await insertBatches(transaction, organizationId, { batches: [batch], tags, at: new Date(clock.now()), afterBatch });
    }
  });
  return count;
}

async function writeGroups(
  { database }: FoldPlatform, organizationId: string, from: number, { folder, signal, newest }: Fold,
): Promise<{ groups: Group[]; through: number; count: number }> {
  const groups = new EventGroups(folder);
  let through = from;
  let count = 0;
  let bytes = 0;
  for (let more = true; more && through < newest && count < maxRows && bytes < maxBytes;) {
    signal.throwIfAborted();
    const events = await listEventsOf(database, organizationId, through, Math.min(pageRows, maxRows - count));
    more = events.length > 0;
    for (const event of events) {
      if (event.kind !== 'deletion') {
        const group = await groups.take(event, event.kind);
        if (group === null) {
          more = false;
          break;
        }
        const line = csvLine(event, group.kind);
        bytes += line.length;
        if (!group.file.write(line)) await once(group.file, 'drain');
      }
      through = event.sequence;
      count += 1;
    }
  }
  for (const { file } of groups.all) await finished(file.end());
  return { groups: groups.all, through, count };
}

/** The groups of one transaction, oldest first. */
class EventGroups {
  readonly all: Group[] = [];
  private readonly folder: string;
  private readonly places = new Map<string, number>();
  /** The place of the last group that has a row of the entity. */
  private readonly entityPlaces = new Map<string, number>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Returns the group of an event; null if the event needs one group too many. */
  async take(event: StoredEvent, kind: TableKind): Promise<Group | null> {
    const key = keyOf(event);
    let place = this.places.get(key) ?? -1;
    // An earlier batch than that of the entity's last row would make the older row the latest one.
    if (kind === 'entity' && place < (this.entityPlaces.get(event.targetId) ?? 0)) place = -1;
    if (place < 0) {
      if (this.all.length === maxGroups) return null;
      place = this.all.push(await openGroup(event, kind, join(this.folder, String(this.all.length)))) - 1;
      this.places.set(key, place);
    }
    if (kind === 'entity') this.entityPlaces.set(event.targetId, place);
    const group = this.all[place] as Group;
    group.afterBatch = Math.max(group.afterBatch, event.afterBatch);
    return group;
  }
}

/** Entities of different times relative to uploads are in different batches, because the latest row of an entity wins. */
function keyOf({ kind, tags, afterBatch }: StoredEvent): string {
  return JSON.stringify([kind, [...tags].sort(), kind === 'entity' ? afterBatch : 0]);
}

async function openGroup({ tags, afterBatch }: StoredEvent, kind: TableKind, folder: string): Promise<Group> {
  await mkdir(folder);
  const path = join(folder, 'events.csv');
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  file.write(`${tableColumns[kind].map(({ name }) => name).join(',')}\n`);
  return { kind, tags, afterBatch, folder, path, file };
}

function csvLine(event: StoredEvent, kind: TableKind): string {
  const { type, sourceId, targetId, happenedAt, name, metadata, mediaUrl } = event;
  const fields = kind === 'entity' ? [targetId, type, name, metadata, mediaUrl] : [type, sourceId, targetId, happenedAt, metadata];
  return `${fields.map((field) => (field === null ? '' : typeof field === 'number' ? isoOf(field) : `"${field.replaceAll('"', '""')}"`)).join(',')}\n`;
}

/** A file reads small numbers as seconds, so times are written as ISO 8601. */
function isoOf(time: number): string {
  return new Date(time).toISOString();
}

async function convertGroup(group: Group, owner: string, { converters, signal }: Fold): Promise<{ parquetPath: string; rows: number; bytes: number }> {
  const parquetPath = join(group.folder, 'parquet');
  const { size } = await stat(group.path);
  const result = await converters.convert({
    owner, contentPath: group.path, contentBytes: size, fileName: 'events.csv', folder: group.folder, parquetPath, maxBytes: maxFileBytes, maxRows: maxRows, signal,
  });
  if (result.outcome !== 'converted') {
    const why = result.outcome === 'faults' ? JSON.stringify(result.faults.slice(0, 3)) : result.outcome;
    throw new Error(`stored events cannot be converted: ${why}`);
  }
  return { parquetPath, rows: result.rows, bytes: result.bytes };
}
