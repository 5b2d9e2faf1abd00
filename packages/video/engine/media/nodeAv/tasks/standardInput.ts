import { readSync } from 'node:fs';
import { inputHeaderBytes } from '../protocol/chunks.ts';
import { waitForPipe } from '../libav/waitForPipe.ts';

/** The input of one task. */
export interface StandardInput {
  /**
   * Reads exactly `bytes` bytes.
   * @returns null at the end of the input
   * @throws Error if the input ends within the bytes
   */
  read(bytes: number): Buffer | null;
}

/** Opens the chunks on standard input for one task. */
export function openStandardInput(): StandardInput {
  let left = 0;
  let ended = false;
  return {
    read(bytes) {
      const data = Buffer.allocUnsafe(bytes);
      let filled = 0;
      while (filled < bytes && !ended) {
        if (left === 0) {
          left = readExactly(Buffer.alloc(inputHeaderBytes)).readUInt32LE();
          ended = left === 0;
          continue;
        }
        const part = readExactly(data.subarray(filled, filled + Math.min(left, bytes - filled)));
        filled += part.length;
        left -= part.length;
      }
      if (filled === 0) return null;
      if (filled < bytes) throw new Error(`the input ended after ${filled} of ${bytes} bytes`);
      return data;
    },
  };
}

function readExactly(data: Buffer): Buffer {
  for (let filled = 0; filled < data.length;) {
    const count = waitForPipe(() => readSync(0, data, filled, data.length - filled, null));
    if (count === 0) throw new Error('the input ended unexpectedly');
    filled += count;
  }
  return data;
}
