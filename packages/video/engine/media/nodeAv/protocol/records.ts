/** A record of the child: a header of 16 bytes (time in seconds, a number, length of the data), then the data. */
export interface AvRecord {
  time: number;
  number: number;
  data: Uint8Array<ArrayBuffer>;
}

/** Bytes of a header: float64, uint32, uint32, little-endian. */
const recordHeader = 16;

/** Number of the last record of a successful task. The record has no time, and its data is a `TaskEnd`. */
const endNumber = 0xffff_ffff;
/** The child writes this byte to standard error at the end of a task. FFmpeg replaces this byte when it quotes a file. */
export const endOfComplaints = 1;

/** Resources that the process has used at the end of a successful task. */
export interface TaskEnd {
  /** Processor seconds since the start of the process. */
  cpuSeconds: number;
  /** Growth of the resident memory since before the first task, bytes. */
  grownBytes: number;
}

/** Makes the record that ends a task; called by the child. */
export function makeTaskEnd(end: TaskEnd): Buffer {
  const data = Buffer.from(JSON.stringify(end));
  return Buffer.concat([makeHeader(Number.NaN, endNumber, data.length), data]);
}

/**
 * Parses the record that ends a task.
 * @returns null for a record of the answer
 * @throws SyntaxError
 */
export function parseTaskEnd({ time, number, data }: AvRecord): TaskEnd | null {
  if (number !== endNumber || !Number.isNaN(time)) return null;
  return JSON.parse(Buffer.from(data).toString('utf8')) as TaskEnd;
}

/** Makes the header of a record; called by the child. */
export function makeHeader(time: number, number: number, bytes: number): Buffer {
  const header = Buffer.allocUnsafe(recordHeader);
  header.writeDoubleLE(time, 0);
  header.writeUInt32LE(number, 8);
  header.writeUInt32LE(bytes, 12);
  return header;
}

/**
 * Parses the records of a child; called by the parent. A truncated stream ends without an error. The receiver owns the data.
 */
export async function* parseRecords(stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<AvRecord> {
  const header = Buffer.alloc(recordHeader);
  let filled = 0;
  let data: Uint8Array<ArrayBuffer> | null = null;
  for await (const chunk of stream) {
    let at = 0;
    while (at < chunk.length || (data !== null && data.length === 0)) {
      const target: Uint8Array = data ?? header;
      const count = Math.min(target.length - filled, chunk.length - at);
      target.set(chunk.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < target.length) break;
      filled = 0;
      if (data === null) {
        data = new Uint8Array(header.readUInt32LE(12));
      } else {
        yield { time: header.readDoubleLE(0), number: header.readUInt32LE(8), data };
        data = null;
      }
    }
  }
}
