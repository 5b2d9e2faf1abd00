import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { mediaErrors } from '../../mediaErrors.ts';
import { describeMedia } from '../describeMedia.ts';
import type { MediaInfo } from '../mediaInfo.ts';
import { sniffContainer } from '../sniff/sniffContainer.ts';
import { answerOfAv, AvRefused, type AvTools } from './askAv.ts';
import { sourceOf } from './sources.ts';
import type { ProbeAnswer } from './protocol/task.ts';

/** Reads the facts of a file, after the first bytes have identified the container. */
export async function probeFile(tools: AvTools, path: string, signal: AbortSignal): Promise<MediaInfo> {
  const container = await sniffContainer(path);
  const { size } = await stat(path);
  const { streams, ...facts } = await askProbe(tools, path, container, signal);
  const decodable = new Set(streams.filter((stream) => stream.decodable).map((stream) => stream.codec));
  return describeMedia(
    { path, container, bytes: size, streams, ...facts },
    { pixels: tools.limits.pixels, decodes: (codec) => decodable.has(codec) },
  );
}

async function askProbe(tools: AvTools, path: string, container: string, signal: AbortSignal): Promise<ProbeAnswer> {
  const tooLarge = (complaints: string): void => {
    if (!/exceeds specified max pixel count|Picture size \d+x\d+ is invalid/.test(complaints)) return;
    throw mediaErrors.problem('picture-too-large', `${basename(path)} has frames of more than ${tools.limits.pixels} pixels. Convert the video to a smaller frame size.`);
  };
  try {
    const work = { path, signal, failing: `is not a readable ${container} file`, code: 'damaged-media' } as const;
    const { answer, complaints } = await answerOfAv(tools, { kind: 'probe', source: sourceOf(tools, path, container) }, work);
    tooLarge(complaints);
    return JSON.parse(answer) as ProbeAnswer;
  } catch (error) {
    if (!(error instanceof AvRefused)) throw error;
    tooLarge(error.complaints);
    throw error.error;
  }
}
