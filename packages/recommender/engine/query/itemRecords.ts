import type { Workspace } from '../kernels/workspace.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import type { Strings } from '../modelFile/sectionMemory.ts';
import { textOrNull, typeJson } from './jsonBuffer.ts';

/** Bytes that a kernel reads at once; records begin at multiples of it. */
const vectorBytes = 16;
const blockBytes = 2 ** 20;
/** Bytes of the numbers before the texts of a record. */
const headBytes = 16;
/** Bytes of a record besides its texts, at most: the numbers, quotes or null for each text, and what a kernel reads after them. */
const frameBytes = 80;

const nothing = Buffer.from('null');
const quote = 34;
/** 1 for bytes that JSON escapes. */
const isEscaped = new Uint8Array(256).fill(1, 0, 32);
isEscaped[quote] = 1;
isEscaped[92] = 1;

/** The texts of items in the memory of the kernels, as `writeJsonRows` reads them. If there is no room for more, the caller drops all; texts are written again when they are needed. */
export class ItemRecords {
  /** The longest record so far, in bytes. */
  longest = 0;
  private readonly workspace: Workspace;
  private readonly mark: number;
  private readonly maxBlocks: number;
  /** Address of the record of each item; 0 if there is none. */
  private addresses = new Int32Array(0);
  /** Address of the text of each type, at the number of the type + 1. */
  private types: number[] = [];
  private typeBytes: number[] = [];
  private block: Uint8Array | null = null;
  /** The same memory as `block`. */
  private words: Uint32Array = new Uint32Array(0);
  private end = 0;
  private blocks = 0;

  /** @param maxBlocks maximum number of blocks of 1 MB */
  constructor(workspace: Workspace, maxBlocks: number) {
    this.workspace = workspace;
    this.maxBlocks = maxBlocks;
    this.mark = workspace.mark();
  }

  /** Returns the address of an item's record; 0 if there is no room for it before `drop`. */
  addressOf(model: ModelReader, item: number): number {
    const known = this.addresses[item] ?? 0;
    return known === 0 ? this.add(model, item) : known;
  }

  /** Drops all records. */
  drop(): void {
    this.workspace.release(this.mark);
    this.addresses.fill(0);
    this.types = [];
    this.block = null;
    this.blocks = 0;
  }

  private add(model: ModelReader, item: number): number {
    if (item >= this.addresses.length) this.grow(Math.max(model.itemNode.length, item + 1));
    const node = model.itemNode[item] ?? 0;
    const { ids, names, mediaUrls } = model;
    const type = this.typeOf(model, node);
    ids.locate(node);
    names.locate(node);
    mediaUrls.locate(node);
    // Each byte becomes at most six: \u001f.
    const most = frameBytes + 6 * (ids.end - ids.start + names.end - names.start + mediaUrls.end - mediaUrls.start);
    if (type === 0 || !this.reserve(most)) return 0;
    const block = this.block as Uint8Array;
    const first = this.end + headBytes;
    const second = writeText(block, first, ids);
    const third = writeText(block, second, names);
    const end = writeText(block, third, mediaUrls);
    const at = this.end / 4;
    this.words[at] = second - first;
    this.words[at + 1] = third - second;
    this.words[at + 2] = end - third;
    this.words[at + 3] = type;
    this.longest = Math.max(this.longest, end - first + (this.typeBytes[(model.nodeType[node] ?? -1) + 1] ?? 0));
    const address = this.closeRecord(end);
    this.addresses[item] = address;
    return address;
  }

  /** Returns the address of the text of a node's type; 0 if there is no room for it before `drop`. */
  private typeOf(model: ModelReader, node: number): number {
    const at = (model.nodeType[node] ?? -1) + 1;
    const known = this.types[at];
    if (known !== undefined) return known;
    const text = Buffer.from(typeJson(model, node));
    if (!this.reserve(frameBytes + text.length)) return 0;
    const block = this.block as Uint8Array;
    this.words[this.end / 4] = text.length;
    this.typeBytes[at] = text.length;
    block.set(text, this.end + headBytes);
    return this.types[at] = this.closeRecord(this.end + headBytes + text.length);
  }

  /** Ends the record that ends at `end` in the block. @returns the address of the record */
  private closeRecord(end: number): number {
    const address = (this.block as Uint8Array).byteOffset + this.end;
    this.end = wholeVectors(end);
    return address;
  }

  private reserve(bytes: number): boolean {
    if (this.block !== null && this.end + bytes <= blockBytes) return true;
    if (this.blocks === this.maxBlocks) return false;
    this.block = this.workspace.bytes(blockBytes);
    this.words = new Uint32Array(this.block.buffer, this.block.byteOffset, blockBytes / 4);
    this.blocks += 1;
    this.end = 0;
    return true;
  }

  private grow(items: number): void {
    const grown = new Int32Array(items);
    grown.set(this.addresses);
    this.addresses = grown;
  }
}

function wholeVectors(bytes: number): number {
  return Math.ceil(bytes / vectorBytes) * vectorBytes;
}

/** Writes a located text as JSON, null for an empty text. @returns the end */
export function writeText(block: Uint8Array, place: number, { bytes, start, end }: Strings): number {
  if (start === end) return append(block, place, nothing);
  let to = place;
  block[to++] = quote;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isEscaped[byte] === 1) return append(block, place, Buffer.from(textOrNull(bytes.toString('utf8', start, end))));
    block[to++] = byte;
  }
  block[to++] = quote;
  return to;
}

/** Copies a short text byte by byte, which is faster than a call of the runtime. @returns the end */
export function append(block: Uint8Array, place: number, text: Buffer): number {
  for (let at = 0; at < text.length; at += 1) block[place + at] = text[at] ?? 0;
  return place + text.length;
}
