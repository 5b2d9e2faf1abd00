import { ChildFailed } from '@vouch/platform/process/childEnd';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { startNodeChild } from '@vouch/platform/process/nodeChild';
import type { FileEnd, MutatedFile } from './mutatedFiles.ts';
import { fuzzLimits } from './throughEngine.ts';

/** Files that one process looks at: what the libraries do not give back stays within its memory. */
const filesPerProcess = 25;

/**
 * Lets the npm libraries and all of the engine that reads look at files, many in one process. A process that dies of a
 * file costs that file, as it does in a run; the others are looked at by the next one.
 */
export async function lookAtAll(files: readonly MutatedFile[], scratch: string): Promise<FileEnd[]> {
  const ends: FileEnd[] = [];
  while (ends.length < files.length) {
    const part = files.slice(ends.length, ends.length + filesPerProcess);
    const seen = await lookAt(part, scratch);
    ends.push(...seen);
  }
  return ends;
}

interface Said {
  begun?: number;
  ended?: FileEnd;
}

async function lookAt(files: readonly MutatedFile[], scratch: string): Promise<FileEnd[]> {
  const ends: FileEnd[] = [];
  let begun = files[0]!.seed;
  const child = startNodeChild({
    file: new URL('./inProcess.child.ts', import.meta.url),
    // One process reads many files here: one of them may use up its limit, the others take little.
    limits: { memoryBytes: fuzzLimits.memoryBytes, cpuSeconds: fuzzLimits.cpuSeconds * 2, wallMs: fuzzLimits.wallMs * 2 },
    parse: (message) => message as Said,
    received: ({ begun: seed, ended }) => {
      if (seed !== undefined) begun = seed;
      if (ended !== undefined) ends.push(ended);
    },
  }, systemInterfaces.timers);
  await child.send({ files, scratch }).catch(() => {});
  try {
    await child.done;
  } catch (error) {
    if (!(error instanceof ChildFailed) || ends.some(({ seed }) => seed === begun)) throw error;
    ends.push({ seed: begun, end: 'refused', detail: ['memory', 'timed-out', 'processor-time'].includes(error.end.kind) ? 'media-limit' : 'decoder-failed' });
  }
  return ends;
}
