import { open, type FileHandle } from 'node:fs/promises';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import type { Arena } from './arena.ts';
import { tooNew, unreadable } from './modelFileErrors.ts';

/*
 * Layout: 32 bytes (magic, container version, header length, CRC-32 of the header, 12 bytes of zero), the header as
 * JSON, then the sections, each at a multiple of 64 bytes, little-endian. Offsets count from the first section.
 */
const magic = Buffer.from('VOUCHSEC', 'latin1');
const containerVersion = 1;
const prefixBytes = 32;
const alignment = 64;
/** Maximum header size; a header lists a few dozen sections, so a larger header belongs to a foreign file. */
const maxHeaderBytes = 64 * 2 ** 20;
const chunkBytes = 8 * 2 ** 20;
/** Chunk size for opening in the background; reading and checking a chunk takes 0.3 ms. */
const restingChunkBytes = 512 * 2 ** 10;

const elementBytes = { uint8: 1, int32: 4, float32: 4, float64: 8 } as const;
export type ElementType = keyof typeof elementBytes;
export type SectionArray = Uint8Array | Int32Array | Float32Array | Float64Array;

/**
 * A section to write: an array, or a known number of elements whose bytes are generated piece by piece. The generator can
 * read earlier sections from `written`.
 */
export type SectionContent = SectionArray | { type: ElementType; length: number; pieces: (written: SectionFile) => Pieces };
type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** One row of the section table; `length` in elements, `offset` in bytes from the first section. */
interface SectionEntry {
  name: string;
  type: ElementType;
  offset: number;
  length: number;
  /** CRC-32 of the content, 8 hexadecimal digits. */
  crc32: string;
}

/** Format and version of the file, and facts that are not arrays (JSON values). */
interface SectionFileHeader {
  format: string;
  version: number;
  facts: Record<string, unknown>;
  sections: SectionEntry[];
}

/**
 * Writes named arrays into one file as a stream; equal input gives equal bytes. To replace an existing file atomically, the
 * caller writes to another path and renames the file.
 * @throws file system errors; Error if a section yields a different number of bytes than announced
 */
export async function writeSectionFile(
  path: string,
  file: { format: string; version: number; facts: Record<string, unknown>; sections: Record<string, SectionContent> },
): Promise<void> {
  refuseBigEndian();
  const contents = Object.entries(file.sections);
  const header: SectionFileHeader = {
    format: file.format,
    version: file.version,
    facts: file.facts,
    sections: placeSections(contents),
  };
  const handle = await open(path, 'w+');
  try {
    const written = { path, handle, header, dataStart: align(prefixBytes + encodeHeader(header).length) };
    for (const [at, [, content]] of contents.entries()) {
      const entry = header.sections[at];
      if (entry !== undefined) entry.crc32 = await writeSection(written, entry, content);
    }
    const headerBytes = encodeHeader(header);
    await writeFully(handle, encodePrefix(headerBytes), 0);
    await writeFully(handle, headerBytes, prefixBytes);
    await handle.truncate(fileBytes(header, headerBytes.length));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function placeSections(contents: [string, SectionContent][]): SectionEntry[] {
  let offset = 0;
  return contents.map(([name, content]) => {
    const type = typeOf(content);
    const entry = { name, type, offset, length: content.length, crc32: '00000000' };
    offset = align(offset + content.length * elementBytes[type]);
    return entry;
  });
}

function typeOf(content: SectionContent): ElementType {
  if (content instanceof Float64Array) return 'float64';
  if (content instanceof Float32Array) return 'float32';
  if (content instanceof Int32Array) return 'int32';
  if (content instanceof Uint8Array) return 'uint8';
  return content.type;
}

async function writeSection(file: SectionFile, entry: SectionEntry, content: SectionContent): Promise<string> {
  const pieces = 'pieces' in content ? content.pieces(file) : [bytesOf(content)];
  let checksum = 0;
  let written = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += chunkBytes) {
      const chunk = piece.subarray(at, at + chunkBytes);
      checksum = crc32(chunk, checksum);
      await writeFully(file.handle, chunk, file.dataStart + entry.offset + written);
      written += chunk.length;
    }
  }
  const announced = entry.length * elementBytes[entry.type];
  if (written !== announced) throw new Error(`section ${entry.name}: ${written} bytes instead of ${announced}`);
  return hexadecimal(checksum);
}

async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

const encodeHeader = (header: SectionFileHeader): Buffer => Buffer.from(JSON.stringify(header), 'utf8');

function encodePrefix(headerBytes: Buffer): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  magic.copy(prefix);
  prefix.writeUInt32LE(containerVersion, 8);
  prefix.writeUInt32LE(headerBytes.length, 12);
  prefix.writeUInt32LE(crc32(headerBytes), 16);
  return prefix;
}

/** An open section file. Sections are read as whole arrays or as bytes by offset. */
export interface SectionFile {
  path: string;
  handle: FileHandle;
  header: SectionFileHeader;
  /** Byte position of the first section. */
  dataStart: number;
  /** Memory for arrays, as long as there is room; further arrays have their own memory. */
  arena?: Arena | undefined;
  /** Awaited after every 512 KB read, so that other work of the process is not delayed. */
  rest?: (() => Promise<void>) | undefined;
}

/**
 * Opens a section file and checks magic, versions, the header's checksum, and that every section is inside the file.
 * @param expected format name, and the newest format version that the caller can read
 * @returns the open file; the caller closes its `handle`
 * @throws Problem model-file-unreadable with the failed check
 */
export async function openSectionFile(
  path: string,
  expected: { format: string; newestVersion: number },
): Promise<SectionFile> {
  refuseBigEndian();
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    throw unreadable(path, 'it cannot be opened', error);
  }
  try {
    const { header, headerLength } = await loadHeader(handle, path);
    checkFormat(header, expected, path);
    const { size } = await handle.stat();
    checkLengths(header, headerLength, size, path);
    return { path, handle, header, dataStart: align(prefixBytes + headerLength) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function loadHeader(handle: FileHandle, path: string): Promise<{ header: SectionFileHeader; headerLength: number }> {
  const prefix = Buffer.alloc(prefixBytes);
  if (!(await readFully(handle, prefix, 0)) || !prefix.subarray(0, 8).equals(magic)) {
    throw unreadable(path, 'it does not begin like one, so it is another kind of file or was cut off');
  }
  const version = prefix.readUInt32LE(8);
  if (version > containerVersion) throw tooNew(path, version, containerVersion);
  const headerLength = prefix.readUInt32LE(12);
  const bytes = Buffer.alloc(headerLength <= maxHeaderBytes ? headerLength : 0);
  if (headerLength > maxHeaderBytes || !(await readFully(handle, bytes, prefixBytes))) {
    throw unreadable(path, 'it ends inside its header');
  }
  if (crc32(bytes) !== prefix.readUInt32LE(16)) throw unreadable(path, 'the checksum of its header does not match');
  return { header: JSON.parse(bytes.toString('utf8')) as SectionFileHeader, headerLength };
}

function checkFormat(header: SectionFileHeader, expected: { format: string; newestVersion: number }, path: string): void {
  if (header.format !== expected.format) {
    throw unreadable(path, `it holds "${header.format}" instead of "${expected.format}"`);
  }
  if (header.version > expected.newestVersion) throw tooNew(path, header.version, expected.newestVersion);
}

function checkLengths(header: SectionFileHeader, headerLength: number, size: number, path: string): void {
  for (const { name, type, offset, length } of header.sections) {
    if (!(type in elementBytes) || !Number.isSafeInteger(length) || length < 0 || !(offset >= 0) || offset % alignment) {
      throw unreadable(path, `its section table has an impossible row for ${name}`);
    }
  }
  const expected = fileBytes(header, headerLength);
  if (size !== expected) throw unreadable(path, `it has ${size} bytes where its section table asks for ${expected}`);
}

function fileBytes(header: SectionFileHeader, headerLength: number): number {
  return align(prefixBytes + headerLength) + dataBytes(header);
}

/** Number of bytes of all sections, including padding to multiples of 64. */
export function dataBytes(header: SectionFileHeader): number {
  return Math.max(0, ...header.sections.map((entry) => entry.offset + entry.length * elementBytes[entry.type]));
}

/**
 * Reads one whole section and verifies its checksum.
 * @throws Problem model-file-unreadable if the section is missing, of another type, or damaged
 */
export async function loadSection<Type extends ElementType>(
  file: SectionFile,
  name: string,
  type: Type,
): Promise<ArrayOf<Type>> {
  const entry = findSection(file, name, type);
  const length = entry.length * elementBytes[type];
  const bytes = file.arena?.take(length) ?? new Uint8Array(length);
  const step = file.rest === undefined ? chunkBytes : restingChunkBytes;
  let checksum = 0;
  for (let at = 0; at < bytes.length; at += step) {
    const chunk = bytes.subarray(at, at + step);
    if (!(await readFully(file.handle, chunk, file.dataStart + entry.offset + at))) {
      throw unreadable(file.path, `it ends inside its section ${name}`);
    }
    checksum = crc32(chunk, checksum);
    await file.rest?.();
  }
  if (hexadecimal(checksum) !== entry.crc32) {
    throw unreadable(file.path, `the checksum of its section ${name} does not match`);
  }
  return arrayOf(type, bytes, entry.length) as ArrayOf<Type>;
}

type ArrayOf<Type extends ElementType> = {
  uint8: Uint8Array<ArrayBuffer>;
  int32: Int32Array<ArrayBuffer>;
  float32: Float32Array<ArrayBuffer>;
  float64: Float64Array<ArrayBuffer>;
}[Type];

function arrayOf(type: ElementType, bytes: Uint8Array<ArrayBuffer>, length: number): SectionArray {
  const { buffer, byteOffset } = bytes;
  if (type === 'float64') return new Float64Array(buffer, byteOffset, length);
  if (type === 'float32') return new Float32Array(buffer, byteOffset, length);
  if (type === 'int32') return new Int32Array(buffer, byteOffset, length);
  return bytes;
}

/** Table row of a section. @throws Problem model-file-unreadable if the section is missing or has another element type */
export function findSection(file: SectionFile, name: string, type: ElementType): SectionEntry {
  const entry = file.header.sections.find((section) => section.name === name);
  if (entry === undefined) throw unreadable(file.path, `it has no section ${name}`);
  if (entry.type !== type) throw unreadable(file.path, `its section ${name} holds ${entry.type} instead of ${type}`);
  return entry;
}

/** Returns false if the file ends before `target` is full. */
async function readFully(handle: FileHandle, target: Uint8Array, position: number): Promise<boolean> {
  let done = 0;
  while (done < target.length) {
    const { bytesRead } = await handle.read(target, done, target.length - done, position + done);
    if (bytesRead === 0) return false;
    done += bytesRead;
  }
  return true;
}

function bytesOf(array: SectionArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

const hexadecimal = (checksum: number): string => checksum.toString(16).padStart(8, '0');
const align = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

function refuseBigEndian(): void {
  if (endianness() !== 'LE') throw new Error('section files are little-endian, and this machine is not');
}
