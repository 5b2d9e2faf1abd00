import { startNodeChild } from '@vouch/platform/process/nodeChild';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { nextPage, parsePage, type ReadRequest, type UploadedInteraction } from './readUpload.messages.ts';

const memoryBytes = 600_000_000;

/**
 * Reads interactions of an uploaded file in a child process.
 * @param visit called with each page; the next page is read after the promise resolves
 * @throws ChildFailed if the child ends before the whole file is read
 */
export async function readUpload(request: ReadRequest, timers: Timers, visit: (page: UploadedInteraction[]) => Promise<void>): Promise<void> {
  let failure: unknown = null;
  const child = startNodeChild({
    name: 'the reader of uploaded outcomes',
    file: new URL('./readUpload.child.ts', import.meta.url),
    limits: { memoryBytes },
    niceness: 10,
    parse: parsePage,
    received: (page) => void visit(page).then(() => child.send(nextPage)).catch((error: unknown) => {
      failure ??= error;
      child.stop({ kind: 'cancelled' });
    }),
  }, timers);
  // A failed send means that the child has ended; `done` contains the reason.
  child.send(request).catch(() => {});
  await child.done.catch((error: unknown) => { throw failure ?? error; });
  if (failure !== null) throw failure;
}
