import { join } from 'node:path';
import { Log } from 'node-av/lib';
import { AV_LOG_QUIET } from 'node-av/constants';
import { Problem } from '@vouch/platform/errors/problem';
import { disconnect, onMessage, send } from '@vouch/platform/process/nodeChild';
import { analyse } from '../../../packages/video/engine/reading/analyse.ts';
import { endOfPictures } from '../../../packages/video/engine/reading/settleEnd.ts';
import type { MediaBackend } from '../../../packages/video/engine/media/mediaBackend.ts';
import { mediaErrors } from '../../../packages/video/engine/mediaErrors.ts';
import { selectSegments } from '../../../packages/video/engine/selection/selectSegments.ts';
import { openInProcess } from './inProcessBackend.ts';
import type { FileEnd, MutatedFile } from './mutatedFiles.ts';

const signal = new AbortController().signal;

onMessage((message) => {
  const { files, scratch } = message as { files: MutatedFile[]; scratch: string };
  void run(files, scratch);
});

/** Looks at each file as an engine does that makes no preview. */
async function run(files: readonly MutatedFile[], scratch: string): Promise<void> {
  Log.setLevel(AV_LOG_QUIET);
  const reading = openInProcess(join(scratch, `answers-${process.pid}`));
  const refuse = (): never => { throw new Error('nothing is encoded here'); };
  const backend: MediaBackend = {
    ...reading, threads: 1, canEncode: refuse, subtitles: refuse, readAllStreams: () => null, encodePiece: refuse, encodeSound: refuse, encodeStill: refuse, encodeAnimation: refuse, encodeClip: refuse,
  };
  for (const file of files) {
    await send({ begun: file.seed });
    await send({ ended: { seed: file.seed, ...await look(backend, file) } satisfies FileEnd });
  }
  disconnect();
}

async function look(backend: MediaBackend, { seed, path, what }: MutatedFile): Promise<Omit<FileEnd, 'seed'>> {
  try {
    let info = await backend.probe(path, signal);
    if (info.duration === 0) info = { ...info, duration: endOfPictures(await backend.packets(path, info, signal), info) };
    if (info.duration > 3600) return { end: 'refused', detail: 'media-too-long' };
    const analysis = await analyse({ backend, path, info, tier: seed % 20 < 10 ? 'accurate' : 'fast', signal, progress: () => {} });
    const { segments } = selectSegments(analysis, { duration: 1 });
    return segments.length > 0 ? { end: 'summarized', detail: what } : { end: 'fault', detail: `${what}: no segment` };
  } catch (error) {
    if (error instanceof Problem && error.code in mediaErrors.entries && error.detail.length > 20) return { end: 'refused', detail: error.code };
    return { end: 'fault', detail: `${what}: ${error instanceof Error ? error.stack : String(error)}` };
  }
}
