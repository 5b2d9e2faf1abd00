import { readFile, writeFile } from 'node:fs/promises';
import { analysisVersion, type Analysis } from './analysis.ts';

const magic = Buffer.from('VOUCHVID');
const headerStart = magic.length + 4;
/** Arrays start at multiples of this number of bytes. */
const alignment = 8;

const arrayTypes = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, u8: Uint8Array } as const;
type NumberArray = InstanceType<(typeof arrayTypes)[keyof typeof arrayTypes]>;

/** Placeholder of an array in the JSON header. */
interface ArrayPlace {
  array: keyof typeof arrayTypes;
  /** Offset from the end of the header, bytes. */
  at: number;
  length: number;
}

/** The file is not an analysis of the current version; the caller must compute a new analysis. */
export class AnalysisUnreadable extends Error {
  override readonly name = 'AnalysisUnreadable';
}

/**
 * Writes an analysis file: magic bytes, length of the header, the header as JSON, then the arrays in little-endian memory
 * layout.
 */
export async function writeAnalysis(path: string, analysis: Analysis): Promise<void> {
  const arrays: Buffer[] = [];
  let at = 0;
  const place = (values: NumberArray): ArrayPlace => {
    const found = { array: typeOf(values), at, length: values.length };
    arrays.push(Buffer.from(values.buffer, values.byteOffset, values.byteLength), Buffer.alloc(aligned(values.byteLength) - values.byteLength));
    at += aligned(values.byteLength);
    return found;
  };
  const header = Buffer.from(JSON.stringify(analysis, (_name, value: unknown) => (ArrayBuffer.isView(value) ? place(value as NumberArray) : value)));
  const start = Buffer.alloc(aligned(headerStart + header.length));
  magic.copy(start);
  start.writeUInt32LE(header.length, magic.length);
  header.copy(start, headerStart);
  await writeFile(path, Buffer.concat([start, ...arrays]), { mode: 0o600 });
}

/**
 * Reads a file written by `writeAnalysis`.
 * @throws AnalysisUnreadable if the file is damaged or has another version
 */
export async function readAnalysis(path: string): Promise<Analysis> {
  const file = await readFile(path);
  if (file.length < headerStart || !file.subarray(0, magic.length).equals(magic)) throw new AnalysisUnreadable('it is not an analysis file');
  const length = file.readUInt32LE(magic.length);
  const arrays = file.subarray(aligned(headerStart + length));
  if (file.length < headerStart + length) throw new AnalysisUnreadable('its header is truncated');
  const analysis = parse(file.toString('utf8', headerStart, headerStart + length), arrays);
  if (analysis.version !== analysisVersion) {
    throw new AnalysisUnreadable(`it has version ${analysis.version}, but this program requires version ${analysisVersion}`);
  }
  return analysis;
}

/**
 * Parses the header and its arrays. Only the version is checked afterwards: blobs are addressed by their content hash, so a
 * file with the current version is what `writeAnalysis` wrote.
 */
function parse(text: string, arrays: Buffer): Analysis {
  try {
    return JSON.parse(text, (_name, value: unknown) => (isPlace(value) ? decodeArray(arrays, value) : value)) as Analysis;
  } catch (error) {
    throw error instanceof AnalysisUnreadable ? error : new AnalysisUnreadable('its header is damaged');
  }
}

function isPlace(value: unknown): value is ArrayPlace {
  return typeof value === 'object' && value !== null && 'array' in value && 'at' in value && typeof value.array === 'string' && Object.hasOwn(arrayTypes, value.array);
}

function decodeArray(arrays: Buffer, { array, at, length }: ArrayPlace): NumberArray {
  const bytes = length * arrayTypes[array].BYTES_PER_ELEMENT;
  if (at + bytes > arrays.length) throw new AnalysisUnreadable('its data is truncated');
  // A copy, because the buffer of a small file is part of Node's pool and may be unaligned.
  return new arrayTypes[array](Uint8Array.from(arrays.subarray(at, at + bytes)).buffer);
}

function typeOf(values: NumberArray): keyof typeof arrayTypes {
  if (values instanceof Float64Array) return 'f64';
  if (values instanceof Float32Array) return 'f32';
  return values instanceof Uint32Array ? 'u32' : 'u8';
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}
