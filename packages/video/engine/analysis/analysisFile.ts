import { readFile, writeFile } from 'node:fs/promises';
import { layoutLength } from '../pictures/frameTrack.ts';
import { melBands } from '../sound/soundTrack.ts';
import { analysisVersion, type Analysis } from './analysis.ts';

const magic = Buffer.from('VOUCHVID');
/** Arrays start at multiples of this, so that they can be used in place. */
const alignment = 8;

type NumberArray = Float64Array | Float32Array | Uint32Array | Uint8Array;
type ArrayType = 'f64' | 'f32' | 'u32' | 'u8';

interface Section {
  name: string;
  type: ArrayType;
  length: number;
}

interface Header {
  facts: Omit<Analysis, 'frameTimes' | 'frameSizes' | 'frames' | 'sound'>;
  sections: Section[];
}

/** The file is not an analysis that this version of the program wrote; a new one must be made. */
export class AnalysisUnreadable extends Error {
  override readonly name = 'AnalysisUnreadable';
}

/** Writes an analysis: magic, length of the header, header as JSON, then the arrays as they lie in memory (little-endian). */
export async function writeAnalysis(path: string, analysis: Analysis): Promise<void> {
  const { frameTimes, frameSizes, frames, sound, ...facts } = analysis;
  const arrays: Record<string, NumberArray> = { frameTimes, frameSizes };
  for (const [name, values] of Object.entries(frames)) arrays[`frames.${name}`] = values as NumberArray;
  for (const [name, values] of Object.entries(sound ?? {})) arrays[`sound.${name}`] = values as NumberArray;
  const sections = Object.entries(arrays).map(([name, values]) => ({ name, type: typeOf(values), length: values.length }));
  const header = Buffer.from(JSON.stringify({ facts, sections } satisfies Header));
  const start = Buffer.alloc(aligned(magic.length + 4 + header.length));
  magic.copy(start);
  start.writeUInt32LE(header.length, magic.length);
  header.copy(start, magic.length + 4);
  const parts: Buffer[] = [start];
  for (const values of Object.values(arrays)) {
    parts.push(Buffer.from(values.buffer, values.byteOffset, values.byteLength));
    parts.push(Buffer.alloc(aligned(values.byteLength) - values.byteLength));
  }
  await writeFile(path, Buffer.concat(parts), { mode: 0o600 });
}

/** Reads an analysis back. @throws AnalysisUnreadable where it is damaged or of another version */
export async function readAnalysis(path: string): Promise<Analysis> {
  const file = await readFile(path);
  const header = readHeader(file);
  if (header.facts.version !== analysisVersion) {
    throw new AnalysisUnreadable(`the analysis is of version ${header.facts.version}, this program makes version ${analysisVersion}`);
  }
  const arrays = readArrays(file, header);
  const f32 = (name: string): Float32Array => take(arrays, name, Float32Array);
  const frames: Analysis['frames'] = {
    times: take(arrays, 'frames.times', Float64Array),
    difference: f32('frames.difference'),
    residual: f32('frames.residual'),
    pan: f32('frames.pan'),
    brightness: f32('frames.brightness'),
    contrast: f32('frames.contrast'),
    saturation: f32('frames.saturation'),
    detail: f32('frames.detail'),
    layouts: take(arrays, 'frames.layouts', Uint8Array),
  };
  const sound: Analysis['sound'] = header.facts.info.audio === null || !arrays.has('sound.loudness') ? null : {
    loudness: f32('sound.loudness'),
    onset: f32('sound.onset'),
    speech: f32('sound.speech'),
    spectra: f32('sound.spectra'),
  };
  if (frames.layouts.length % layoutLength !== 0 || (sound?.spectra.length ?? 0) % melBands !== 0) throw new AnalysisUnreadable('its descriptors have an odd length');
  return {
    ...header.facts,
    frameTimes: take(arrays, 'frameTimes', Float64Array),
    frameSizes: take(arrays, 'frameSizes', Uint32Array),
    frames,
    sound,
  };
}

function readHeader(file: Buffer): Header {
  if (file.length < magic.length + 4 || !file.subarray(0, magic.length).equals(magic)) throw new AnalysisUnreadable('it is not an analysis');
  const length = file.readUInt32LE(magic.length);
  const text = file.subarray(magic.length + 4, magic.length + 4 + length);
  if (text.length !== length) throw new AnalysisUnreadable('it is cut off in its header');
  try {
    return JSON.parse(text.toString('utf8')) as Header;
  } catch {
    throw new AnalysisUnreadable('its header is damaged');
  }
}

function readArrays(file: Buffer, { sections }: Header): Map<string, NumberArray> {
  const arrays = new Map<string, NumberArray>();
  let at = aligned(magic.length + 4 + file.readUInt32LE(magic.length));
  for (const { name, type, length } of sections) {
    const bytes = length * constructors[type].BYTES_PER_ELEMENT;
    if (at + bytes > file.length) throw new AnalysisUnreadable(`it is cut off in ${name}`);
    // A copy: the buffer of a small file is a part of Node's pool and may be aligned in any way.
    const copy = new Uint8Array(bytes);
    copy.set(file.subarray(at, at + bytes));
    arrays.set(name, new constructors[type](copy.buffer));
    at += aligned(bytes);
  }
  return arrays;
}

const constructors = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, u8: Uint8Array } as const;

function typeOf(values: NumberArray): ArrayType {
  if (values instanceof Float64Array) return 'f64';
  if (values instanceof Float32Array) return 'f32';
  return values instanceof Uint32Array ? 'u32' : 'u8';
}

function take<Type extends NumberArray>(arrays: ReadonlyMap<string, NumberArray>, name: string, type: new () => Type): Type {
  const found = arrays.get(name);
  if (!(found instanceof type)) throw new AnalysisUnreadable(`it has no ${name}`);
  return found;
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment;
}
