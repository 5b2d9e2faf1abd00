import { open, type FileHandle } from 'node:fs/promises';
import type { MediaBackend } from '../media/mediaBackend.ts';
import type { Source } from './encodePieces.ts';
import { sampleOf, soundRate, type PlannedPart, type PreviewPlan } from './previewPlan.ts';
import { SourceSound } from './sourceSound.ts';

const channels = 2;
/** Length of the fade at a join without crossfade, samples: 10 ms. Without a fade, the interrupted wave would click. */
const joinFade = soundRate / 100;

interface MixRequest {
  backend: MediaBackend;
  source: Source;
  plan: PreviewPlan;
  /** Path of the output: raw interleaved signed 16-bit little-endian samples. */
  output: string;
  /** Receives the number of frames of the preview whose sound is written. */
  progress(frames: number): void;
  signal: AbortSignal;
}

/**
 * Writes the sound of the whole preview. Each part has exactly as many samples as its frames last, so sound and picture stay
 * in sync. Where the source has no sound, the output is silent.
 */
export async function mixSound({ backend, source, plan, output, progress, signal }: MixRequest): Promise<void> {
  const spans = plan.parts.map(({ from, at, frames }) => ({ from, samples: sampleOf(at + frames, plan.rate) - sampleOf(at, plan.rate) }));
  const sound = new SourceSound({ backend, source, signal }, spans);
  const file = await open(output, 'w');
  try {
    let tail = new Int16Array(0);
    for (const [index, part] of plan.parts.entries()) {
      tail = await writePart(file, part, spans[index]!.samples, { plan, sound, head: tail });
      progress(part.at + part.frames);
    }
  } finally {
    await sound.close();
    await file.close();
  }
}

interface Place {
  plan: PreviewPlan;
  sound: SourceSound;
  /** End of the previous part, in samples, that is crossfaded with the start of this part. */
  head: Int16Array;
}

/** Writes a part without the samples that it shares with the next part, and returns these. */
async function writePart(file: FileHandle, part: PlannedPart, length: number, { plan, sound, head }: Place): Promise<Int16Array<ArrayBuffer>> {
  const kept = sampleOf(part.at + part.frames - part.overlapAfter, plan.rate) - sampleOf(part.at, plan.rate);
  const tail = new Int16Array((length - kept) * channels);
  const headLength = head.length / channels;

  let at = 0;
  for await (const chunk of sound.next()) {
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

/** Gain (0–1) of a sample: fades over 10 ms at ends where the source does not continue and no crossfade applies. */
function fadeGain(sample: number, length: number, part: PlannedPart): number {
  const fade = Math.min(joinFade, length / 2);
  const opening = part.continuesBefore || part.overlapBefore > 0 ? 1 : (sample + 0.5) / fade;
  const closing = part.continuesAfter || part.overlapAfter > 0 ? 1 : (length - sample - 0.5) / fade;
  return Math.max(0, Math.min(1, opening, closing));
}

/** Mixes two samples with constant power, so that uncorrelated sounds keep their loudness. */
function crossfade(before: number, after: number, share: number): number {
  const mixed = before * Math.cos((share * Math.PI) / 2) + after * Math.sin((share * Math.PI) / 2);
  return Math.max(-32_768, Math.min(32_767, Math.round(mixed)));
}
