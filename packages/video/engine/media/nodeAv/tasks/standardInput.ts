import { readSync } from 'node:fs';
import { waitForPipe } from '../libav/waitForPipe.ts';

/** Reads so many bytes of standard input. @returns null at its end @throws Error where it ends in between */
export function readStandardInput(bytes: number): Buffer | null {
  const data = Buffer.allocUnsafe(bytes);
  let filled = 0;
  while (filled < bytes) {
    const count = waitForPipe(() => readSync(0, data, filled, bytes - filled, null));
    if (count === 0) break;
    filled += count;
  }
  if (filled === 0) return null;
  if (filled < bytes) throw new Error(`the input ended after ${filled} of ${bytes} bytes`);
  return data;
}
