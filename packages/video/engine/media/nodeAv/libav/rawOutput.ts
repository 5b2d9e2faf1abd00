import { writeSync } from 'node:fs';
import { waitForPipe } from './waitForPipe.ts';

/** Standard output in few writes. */
interface RawOutput {
  write(bytes: Uint8Array): void;
  flush(): void;
}

/** As much as a pipe takes at once. */
const heldBytes = 65_536;

/** Blocks while nobody reads, which is the back-pressure: the child has nothing else to do. */
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
