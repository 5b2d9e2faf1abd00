import { openOutput } from '../libav/output.ts';
import type { Task } from '../protocol/task.ts';
import { addSoundTrack, clean } from './encoders.ts';
import { openSamplesFile } from './samplesFile.ts';

/** Runs the task `encode-sound`: encodes a file of raw samples as AAC or Opus. */
export function encodeSoundFile({ request }: Extract<Task, { kind: 'encode-sound' }>): void {
  const output = openOutput(request.output, request.codec === 'aac' ? 'mp4' : 'webm');
  const made = addSoundTrack(output, request);
  output.begin(clean);
  openSamplesFile(request, made)(Number.POSITIVE_INFINITY);
  output.end();
}
