import type { FileInteraction } from '../uploads/readInteractions.messages.ts';
import type { RecentInteraction } from './event.ts';
import { ShardedMap } from './shardedMap.ts';

/** An uploaded batch of interactions. */
export interface UploadedBatch {
  batchId: string;
  organizationId: string;
  /** Number in the order of uploads. */
  sequence: number;
  blob: string;
  tags: readonly string[];
  rows: number;
  csvBytes: number;
  /** Time of the upload, in ms since the Unix epoch. */
  uploadedAt: number;
}

/** Bytes of an interaction in memory, without texts: target, time, type, weight and marks. */
const rowBytes = 26;
/** Estimated bytes of an id without its text, as a key of a map and as a member of an array. */
const sourceBytes = 80;
const targetBytes = 40;

/** Upper limit for the memory that the interactions of a batch take: each may have ids of its own, and an id takes up to two bytes per byte of the file. */
export function largestBytes({ rows, csvBytes }: UploadedBatch): number {
  return rows * (rowBytes + sourceBytes + targetBytes) + 2 * csvBytes;
}

/** The interactions of an uploaded file by source, in arrays, because a file may have a million of them. */
export class UploadedFile {
  readonly batch: UploadedBatch;
  /** Estimated bytes in memory. */
  bytes: number;
  private count = 0;
  private lastSource: string | null = null;
  /** First row of each source; its rows follow each other, the newest first. */
  private readonly firstRows: ShardedMap<number>;
  /** 1 for the last row of a source. */
  private readonly isLast: Uint8Array;
  private readonly target: Int32Array;
  private readonly time: Float64Array;
  private readonly type: Int32Array;
  private readonly weight: Float64Array;
  private readonly isRated: Uint8Array;
  private readonly targets: Numbered;
  private readonly types = new Numbered(1);

  constructor(batch: UploadedBatch) {
    const { rows } = batch;
    this.batch = batch;
    this.bytes = rows * rowBytes;
    this.firstRows = new ShardedMap(rows);
    this.targets = new Numbered(rows);
    this.isLast = new Uint8Array(rows);
    this.target = new Int32Array(rows);
    this.time = new Float64Array(rows);
    this.type = new Int32Array(rows);
    this.weight = new Float64Array(rows);
    this.isRated = new Uint8Array(rows);
  }

  /** Adds the next interactions of the file, in the order by source. */
  add(interactions: readonly FileInteraction[]): void {
    for (const [source, target, type, time, weight, isRated] of interactions) {
      const row = this.count;
      this.count += 1;
      if (source !== this.lastSource) {
        if (row > 0) this.isLast[row - 1] = 1;
        this.firstRows.set(source, row);
        this.lastSource = source;
        this.bytes += sourceBytes + 2 * source.length;
      }
      const known = this.targets.texts.length;
      this.target[row] = this.targets.numberOf(target);
      if (this.targets.texts.length > known) this.bytes += targetBytes + 2 * target.length;
      this.type[row] = type === null ? -1 : this.types.numberOf(type);
      this.time[row] = time ?? Number.NEGATIVE_INFINITY;
      this.weight[row] = weight ?? Number.NaN;
      this.isRated[row] = isRated ? 1 : 0;
    }
  }

  /** Must be called after the last interaction. */
  finish(): void {
    if (this.count > 0) this.isLast[this.count - 1] = 1;
    this.targets.close();
    this.types.close();
  }

  has(source: string): boolean {
    return this.firstRows.get(source) !== undefined;
  }

  /** Returns the newest interactions of a source, the oldest of them first. An interaction without a time is older than the others. */
  newestOf(source: string, limit: number): RecentInteraction[] {
    const first = this.firstRows.get(source);
    if (first === undefined) return [];
    const { sequence, tags, uploadedAt: receivedAt } = this.batch;
    const found: RecentInteraction[] = [];
    for (let row = first, more = true; more && found.length < limit; row += 1) {
      const weight = this.weight[row] ?? Number.NaN;
      found.push({
        sequence, sourceId: source, tags, receivedAt, targetId: this.targets.texts[this.target[row] ?? 0] ?? '', type: this.types.texts[this.type[row] ?? -1] ?? null,
        time: this.time[row] ?? 0, weight: Number.isNaN(weight) ? null : weight, rated: this.isRated[row] === 1,
      });
      more = this.isLast[row] === 0;
    }
    return found.toReversed();
  }
}

/** Distinct texts, numbered in the order in which they come. */
class Numbered {
  readonly texts: string[] = [];
  private numbers: ShardedMap<number> | null;

  constructor(expected: number) {
    this.numbers = new ShardedMap(expected);
  }

  numberOf(text: string): number {
    const known = this.numbers?.get(text);
    if (known !== undefined) return known;
    this.numbers?.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  /** Frees the memory that only `numberOf` needs. */
  close(): void {
    this.numbers = null;
  }
}
