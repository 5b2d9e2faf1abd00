import { writeSync } from 'node:fs';
import { waitForPipe } from './waitForPipe.ts';

/** Buffers standard output, so that few write calls are needed. */
interface RawOutput {
  write(bytes: Uint8Array): void;
  flush(): void;
}

/** Buffer size, bytes: the capacity of a pipe. */
const heldBytes = 65_536;

/** Opens standard output. A write blocks until the parent reads, which limits the memory; the child has nothing else to do. */
export function openRawOutput(): RawOutput {
  let held: Uint8Array[] = [];
  let bytes = 0;
  const flush = (): void => {
    const all = Buffer.concat(held);
    for (let at = 0; at < all.length;) at += waitForPipe(() => writeSync(1, all, at));
    held = [];
    bytes = 0;
  };
  return {
    write(part) {
      held.push(part);
      bytes += part.length;
      if (bytes >= heldBytes) flush();
    },
    flush,
  };
}
