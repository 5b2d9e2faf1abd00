import type { ModelReader } from '../modelFile/openModel.ts';
import { PieceMemory } from './pieceMemory.ts';
import type { Ranking } from './ranking.ts';
import type { Recommender, Source } from './recommender.ts';

const firstBytes = 64 * 1024;
/** Bytes of a separator, rank and score, at most. */
const numberBytes = 40;
/** Maximum number of items whose texts are kept: about 30 MB. */
const maxItems = 100_000;
const [zero, comma, point] = [48, 44, 46];
const score = Buffer.from(',"score":');

/** The part of a row before its rank, and the part after its score; both depend on the item only. */
type ItemJson = readonly [target: Buffer, rest: Buffer];

/**
 * The rows of many lists as JSON in bytes: the same text as `jsonRows` without reasons. A catalogue of 10,000 items occurs in a million rows, so id, type,
 * name and media URL of an item are escaped once and then copied.
 */
export class JsonBuffer {
  private bytes = Buffer.allocUnsafe(firstBytes);
  private end = 0;
  private isFirst = true;
  private readonly items = new Map<number, ItemJson>();

  /** Number of bytes since the last `take`. */
  get length(): number {
    return this.end;
  }

  /** Adds the rows of a list. @param source source of the list, -1 for none */
  addRanking({ model }: Recommender, source: Source, ranking: Ranking): void {
    const start = Buffer.from(sourceJson(model, source));
    for (let rank = 0; rank < ranking.count; rank += 1) {
      const [target, rest] = this.textsOf(model, ranking.item[rank] ?? 0);
      this.reserve(start.length + target.length + rest.length + numberBytes);
      if (!this.isFirst) this.bytes[this.end++] = comma;
      this.isFirst = false;
      this.copy(start);
      this.copy(target);
      this.addInteger(ranking.skipped + rank + 1);
      this.copy(score);
      this.addScore(Math.round((ranking.score[rank] ?? 0) * 1e6));
      this.copy(rest);
    }
  }

  /** Returns the rows since the last call. */
  take(memory = new PieceMemory()): Buffer {
    const taken = memory.copy(this.bytes.subarray(0, this.end));
    this.end = 0;
    return taken;
  }

  private copy(text: Buffer): void {
    this.bytes.set(text, this.end);
    this.end += text.length;
  }

  private addInteger(value: number): void {
    let divisor = 1;
    while (divisor * 10 <= value) divisor *= 10;
    for (; divisor >= 1; divisor /= 10) this.bytes[this.end++] = zero + (Math.floor(value / divisor) % 10);
  }

  /** Adds a score from 0 to 1, given in millionths, as JavaScript writes the number: without zeros at its end. */
  private addScore(millionths: number): void {
    if (millionths % 1e6 === 0) return this.addInteger(millionths / 1e6);
    this.bytes[this.end++] = zero;
    this.bytes[this.end++] = point;
    let rest = millionths;
    for (let divisor = 1e5; rest > 0; divisor /= 10) {
      const digit = Math.floor(rest / divisor);
      this.bytes[this.end++] = zero + digit;
      rest -= digit * divisor;
    }
  }

  private reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.end + more));
    grown.set(this.bytes.subarray(0, this.end));
    this.bytes = grown;
  }

  private textsOf(model: ModelReader, item: number): ItemJson {
    const kept = this.items.get(item);
    if (kept !== undefined) return kept;
    const texts = itemJson(model, item);
    if (this.items.size < maxItems) this.items.set(item, texts);
    return texts;
  }
}

/** The beginning of each row of a list. @param source source of the list, -1 for none */
export function sourceJson({ ids }: ModelReader, source: Source): string {
  return `{"source_id":${source === -1 ? 'null' : JSON.stringify(typeof source === 'string' ? source : ids.get(source))}`;
}

/** The parts of a row that depend on the item only. */
function itemJson(model: ModelReader, item: number): ItemJson {
  const node = model.itemNode[item] ?? 0;
  return [
    Buffer.from(`,"target_id":${JSON.stringify(model.ids.get(node))},"rank":`),
    Buffer.from(`${typeJson(model, node)}${textOrNull(model.names.get(node))},"media_url":${textOrNull(model.mediaUrls.get(node))},"reasons":[]}`),
  ];
}

/** The part of a row from after the score to before the name. */
export function typeJson({ facts, nodeType }: ModelReader, node: number): string {
  const type = facts.types[nodeType[node] ?? -1];
  return `,"type":${type === undefined ? 'null' : JSON.stringify(type)},"name":`;
}

/** JSON of a text, null for an empty text. */
export function textOrNull(text: string): string {
  return text === '' ? 'null' : JSON.stringify(text);
}
