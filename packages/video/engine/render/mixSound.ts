import { open, type FileHandle } from 'node:fs/promises';
import type { MediaBackend } from '../media/mediaBackend.ts';
import { sampleOf, soundRate, type PlannedPart, type PreviewPlan } from './previewPlan.ts';
import type { Source } from './encodePieces.ts';

const channels = 2;
/** Length of the fade at a hard join, samples: 10 ms. Without it a wave that is cut off clicks. */
const joinFade = soundRate / 100;

interface MixRequest {
  backend: MediaBackend;
  source: Source;
  plan: PreviewPlan;
  /** Raw interleaved signed 16-bit little-endian samples are written here. */
  output: string;
  /** Frames of the preview whose sound is done. */
  progress(frames: number): void;
  signal: AbortSignal;
}

/**
 * Writes the sound of the whole preview. Each part has exactly the samples that its frames last, so that sound and picture
 * cannot drift apart; where the source has no sound, there is silence.
 */
export async function mixSound(request: MixRequest): Promise<void> {
  const file = await open(request.output, 'w');
  try {
    let tail = new Int16Array(0);
    for (const part of request.plan.parts) {
      tail = await writePart(file, request, part, tail);
      request.progress(part.at + part.frames);
    }
  } finally {
    await file.close();
  }
}

/** Writes a part but for what it shares with the next one, which is given back. */
async function writePart(file: FileHandle, request: MixRequest, part: PlannedPart, head: Int16Array): Promise<Int16Array<ArrayBuffer>> {
  const { rate } = request.plan;
  const start = sampleOf(part.at, rate);
  const length = sampleOf(part.at + part.frames, rate) - start;
  const kept = sampleOf(part.at + part.frames - part.overlapAfter, rate) - start;
  const tail = new Int16Array((length - kept) * channels);
  const headLength = head.length / channels;

  let at = 0;
  for await (const chunk of soundOf(request, part, length)) {
    for (let index = 0; index < chunk.length; index += channels) {
      const gain = fadeGain(at, length, part);
      for (let channel = 0; channel < channels; channel += 1) {
        const value = chunk[index + channel]! * gain;
        if (at >= kept) tail[(at - kept) * channels + channel] = value;
        else chunk[index + channel] = at < headLength ? crossfade(head[at * channels + channel]!, value, (at + 0.5) / headLength) : value;
      }
      at += 1;
    }
    const written = chunk.length / channels;
    const out = Math.max(0, Math.min(written, kept - (at - written)));
    if (out > 0) await file.write(new Uint8Array(chunk.buffer, chunk.byteOffset, out * channels * 2));
  }
  return tail;
}

/** Exactly `length` samples from the part's beginning: cut where the source has more, silence where it has less. */
async function* soundOf({ backend, source, signal }: MixRequest, part: PlannedPart, length: number): AsyncGenerator<Int16Array> {
  let left = length;
  const sound = backend.sound({
    path: source.path, info: source.info, sampleRate: soundRate, channels, from: part.from, to: part.from + length / soundRate, signal,
  });
  for await (const chunk of sound) {
    const samples = Math.min(left, chunk.length / channels);
    if (samples > 0) yield chunk.slice(0, samples * channels);
    left -= samples;
    if (left === 0) return;
  }
  while (left > 0) {
    const samples = Math.min(left, soundRate);
    yield new Int16Array(samples * channels);
    left -= samples;
  }
}

/** Fades in and out over 10 ms where the source does not run on and nothing is crossfaded. */
function fadeGain(sample: number, length: number, part: PlannedPart): number {
  const fade = Math.min(joinFade, length / 2);
  const opening = part.continuesBefore || part.overlapBefore > 0 ? 1 : (sample + 0.5) / fade;
  const closing = part.continuesAfter || part.overlapAfter > 0 ? 1 : (length - sample - 0.5) / fade;
  return Math.max(0, Math.min(1, opening, closing));
}

/** Equal power: two sounds that have nothing to do with each other keep their loudness. */
function crossfade(before: number, after: number, share: number): number {
  const mixed = before * Math.cos((share * Math.PI) / 2) + after * Math.sin((share * Math.PI) / 2);
  return Math.max(-32_768, Math.min(32_767, Math.round(mixed)));
}
