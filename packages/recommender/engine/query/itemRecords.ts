import type { Workspace } from '../kernels/workspace.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import type { Strings } from '../modelFile/sectionMemory.ts';
import { itemJson, typeJson } from './jsonBuffer.ts';

/** Bytes that a kernel reads at once; texts begin at multiples of it. */
const vectorBytes = 16;
const blockBytes = 2 ** 20;
/** Bytes of the names of members in a record, and of the gaps in it, at most; without the type. */
const frameBytes = 160;

const targetName = Buffer.from(',"target_id":');
const rankName = Buffer.from(',"rank":');
const urlName = Buffer.from(',"media_url":');
const reasonsName = Buffer.from(',"reasons":[]}');
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
  private readonly types: Buffer[] = [];
  private block: Uint8Array | null = null;
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
    this.block = null;
    this.blocks = 0;
  }

  private add(model: ModelReader, item: number): number {
    if (item >= this.addresses.length) this.grow(Math.max(model.itemNode.length, item + 1));
    const node = model.itemNode[item] ?? 0;
    const { ids, names, mediaUrls } = model;
    for (const strings of [ids, names, mediaUrls]) strings.locate(node);
    const type = this.types[(model.nodeType[node] ?? -1) + 1] ??= Buffer.from(typeJson(model, node));
    // Each byte becomes at most six: \u001f.
    const most = frameBytes + type.length + 6 * (ids.end - ids.start + names.end - names.start + mediaUrls.end - mediaUrls.start);
    if (!this.reserve(most)) return 0;
    const begin = this.end;
    const block = this.block as Uint8Array;
    const isPlain = [ids, names, mediaUrls].every(needsNoEscape);
    const [firstBytes, end] = isPlain ? writePlain(block, begin + vectorBytes, model, type) : writeEscaped(block, begin + vectorBytes, model, item);
    const address = block.byteOffset + begin;
    const secondBytes = end - begin - vectorBytes - wholeVectors(firstBytes);
    new Uint32Array(block.buffer, address, 2).set([firstBytes, secondBytes]);
    this.end = begin + wholeVectors(end - begin);
    this.longest = Math.max(this.longest, firstBytes + secondBytes);
    this.addresses[item] = address;
    return address;
  }

  private reserve(bytes: number): boolean {
    if (this.block !== null && this.end + bytes <= blockBytes) return true;
    if (this.blocks === this.maxBlocks) return false;
    this.block = this.workspace.bytes(blockBytes);
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

function needsNoEscape({ bytes, start, end }: Strings): boolean {
  for (let at = start; at < end; at += 1) if (isEscaped[bytes[at] ?? 0] === 1) return false;
  return true;
}

/** Writes both texts of the item that the model's strings are located at. @returns length of the first text, and the end of the second */
function writePlain(block: Uint8Array, begin: number, { ids, names, mediaUrls }: ModelReader, type: Buffer): [firstBytes: number, end: number] {
  const first = append(block, writeText(block, append(block, begin, targetName), ids), rankName);
  const name = writeText(block, append(block, begin + wholeVectors(first - begin), type), names);
  return [first - begin, append(block, writeText(block, append(block, name, urlName), mediaUrls), reasonsName)];
}

function writeEscaped(block: Uint8Array, begin: number, model: ModelReader, item: number): [firstBytes: number, end: number] {
  const [first, second] = itemJson(model, item);
  block.set(first, begin);
  const next = begin + wholeVectors(first.length);
  block.set(second, next);
  return [first.length, next + second.length];
}

/** Writes a text in quotes, null for an empty text. @returns the end */
function writeText(block: Uint8Array, place: number, { bytes, start, end }: Strings): number {
  if (start === end) return append(block, place, nothing);
  let to = place;
  block[to++] = quote;
  for (let at = start; at < end; at += 1) block[to++] = bytes[at] ?? 0;
  block[to++] = quote;
  return to;
}

function append(block: Uint8Array, place: number, text: Buffer): number {
  for (let at = 0; at < text.length; at += 1) block[place + at] = text[at] ?? 0;
  return place + text.length;
}
