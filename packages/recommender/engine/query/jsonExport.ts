import { Workspace } from '../kernels/workspace.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { append, ItemRecords, writeText } from './itemRecords.ts';
import { sourceJson } from './jsonBuffer.ts';
import { PieceMemory } from './pieceMemory.ts';
import type { Ranking } from './ranking.ts';
import type { Recommender, Source } from './recommender.ts';

/** Bytes after the rows that a kernel overwrites, at most. */
const overwrittenBytes = 32;
/** Bytes of rank, score and the names of members in a row, at most, and of what is overwritten after it. */
const numberBytes = 96;
const chunkRows = 1_024;
/** Room for the rows that are not taken yet. */
const rowsBytes = 2 ** 20;
/** Room for the text of a source: at most 131,072 characters, for an id in a request that has only characters which JSON escapes. */
const sourceBytes = 2 ** 19;
/** Maximum bytes of a character of a text in UTF-8, and of a byte of a text in JSON. */
const [characterBytes, escapedBytes] = [3, 6];
const sourceFrameBytes = 64;
const rowStart = Buffer.from(',{"source_id":');
const targetStart = Buffer.from(',"target_id":');
/** Maximum megabytes of texts of items. */
const usualBlocks = 32;
/** Maximum bytes of memory that an export keeps for the next one: 4 MB of texts of items. */
const maxKeptBytes = 6 * 2 ** 20;

/**
 * The rows of very many lists as JSON in bytes: the same text as `JsonBuffer`, in less than half of the time, written by a kernel from texts in its memory. It takes 1 ms
 * and 2 to 34 MB of memory, so short answers use `JsonBuffer`. All lists of an export are of one model.
 */
export class JsonExport {
  private readonly workspace = new Workspace();
  private readonly rows = this.workspace.bytes(rowsBytes);
  private readonly source = this.workspace.bytes(sourceBytes);
  private readonly addresses = this.workspace.integers(chunkRows);
  private readonly millionths = this.workspace.integers(chunkRows);
  private readonly items: ItemRecords;
  /** Start and end of the rows in `rows`. Each row begins with a comma; the comma of the first row is left out. */
  private begin = 1;
  private end = 0;
  private moved: Buffer[] = [];
  private movedBytes = 0;

  /** @param maxBlocks maximum megabytes of texts of items */
  constructor(maxBlocks = usualBlocks) {
    this.items = new ItemRecords(this.workspace, maxBlocks);
  }

  /** Number of bytes since the last `take`. */
  get length(): number {
    return this.movedBytes + Math.max(0, this.end - this.begin);
  }

  /** Forgets all rows, but keeps the texts of items. @returns false if they take too much memory to be kept */
  clear(): boolean {
    this.begin = 1;
    this.end = 0;
    this.moved = [];
    this.movedBytes = 0;
    return this.workspace.memory.buffer.byteLength <= maxKeptBytes;
  }

  /** Adds the rows of a list. @param source source of the list, -1 for none */
  addRanking({ model }: Recommender, source: Source, ranking: Ranking): void {
    const { items, addresses, millionths } = this;
    const bytes = this.writeSource(model, source);
    let waiting = 0;
    let firstRank = ranking.skipped + 1;
    const write = (): void => {
      this.write(waiting, firstRank, bytes);
      firstRank += waiting;
      waiting = 0;
    };
    for (let rank = 0; rank < ranking.count; rank += 1) {
      const item = ranking.item[rank] ?? 0;
      let address = items.addressOf(model, item);
      if (address === 0) {
        write();
        items.drop();
        address = items.addressOf(model, item);
      }
      addresses[waiting] = address;
      millionths[waiting] = Math.round((ranking.score[rank] ?? 0) * 1e6);
      waiting += 1;
      if (waiting === chunkRows) write();
    }
    write();
  }

  /** Returns the rows since the last call, in the given memory if they were never moved. */
  take(memory = new PieceMemory()): Buffer {
    if (this.moved.length === 0) return this.copyOut(memory);
    this.move();
    const taken = Buffer.concat(this.moved);
    this.moved = [];
    this.movedBytes = 0;
    return taken;
  }

  /** Writes what each row of a list begins with, up to the id of its item. @returns number of bytes */
  private writeSource(model: ModelReader, source: Source): number {
    const { source: place } = this;
    // An id of the model is copied, because a string of it per list would take a tenth of the time of a row each.
    if (typeof source === 'number' && source >= 0) {
      const { ids } = model;
      ids.locate(source);
      if (escapedBytes * (ids.end - ids.start) + sourceFrameBytes <= sourceBytes) return append(place, writeText(place, append(place, 0, rowStart), ids), targetStart);
    }
    const text = `,${sourceJson(model, source)},"target_id":`;
    if (characterBytes * text.length > sourceBytes) throw new RangeError(`the id of a source has ${text.length} characters as JSON`);
    return Buffer.from(place.buffer, place.byteOffset, sourceBytes).write(text);
  }

  /** Writes rows from `addresses` and `millionths`, as many at once as have room. */
  private write(count: number, firstRank: number, bytes: number): void {
    const { rows, source, addresses, millionths, workspace } = this;
    const rowBytes = bytes + this.items.longest + numberBytes;
    for (let row = 0; row < count;) {
      if (this.end + rowBytes + overwrittenBytes > rowsBytes) this.move();
      const fitting = Math.min(count - row, Math.floor((rowsBytes - overwrittenBytes - this.end) / rowBytes));
      const end = workspace.call.writeJsonRows(
        addresses.byteOffset + 4 * row, millionths.byteOffset + 4 * row, fitting, firstRank + row, source.byteOffset, bytes, rows.byteOffset + this.end);
      this.end = end - rows.byteOffset;
      row += fitting;
    }
  }

  /** Moves the rows out of the memory of the kernels. */
  private move(): void {
    const copy = this.copyOut(new PieceMemory());
    if (copy.length === 0) return;
    this.moved.push(copy);
    this.movedBytes += copy.length;
  }

  private copyOut(memory: PieceMemory): Buffer {
    const isEmpty = this.end <= this.begin;
    const copy = memory.copy(this.rows.subarray(this.begin, Math.max(this.begin, this.end)));
    if (!isEmpty) this.begin = 0;
    this.end = 0;
    return copy;
  }
}

/** The texts of small models from their last export, for the next one, which then takes a tenth less time. */
const idle = new WeakMap<ModelReader, JsonExport>();

/** Returns an export without rows for lists of a model only. The caller gives the export back. */
export function takeJsonExport(model: ModelReader): JsonExport {
  const taken = idle.get(model) ?? new JsonExport();
  idle.delete(model);
  return taken;
}

/** Keeps an export for the next caller of `takeJsonExport`. The caller may not use the export afterwards. */
export function giveBackJsonExport(model: ModelReader, taken: JsonExport): void {
  if (taken.clear()) idle.set(model, taken);
}
