import type { MediaBackend } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { formatWav } from './formatWav.ts';
import { analysisSampleRate } from './soundTrack.ts';

/** Longest part, seconds: a slow recognizer shows progress within minutes, and 4 MB are below the 25 MB that services accept. */
const longest = 120;
/** A part ends in the quietest window of its last seconds, usually a pause, so that few words are cut. */
const searched = 20;
const window = 0.2;

interface SpeechRequest {
  backend: Pick<MediaBackend, 'sound'>;
  path: string;
  info: MediaInfo;
  /** Start of the part, seconds. */
  from: number;
  signal: AbortSignal;
}

/**
 * Decodes a part of the sound for a transcription: mono, 16 kHz, which is what recognizers of speech use.
 * @returns a WAV file, and the end of the part, seconds; at most two minutes after `from`
 */
export async function takeSpeech({ backend, path, info, from, signal }: SpeechRequest): Promise<{ wav: Uint8Array; to: number }> {
  const to = Math.min(info.duration, from + longest);
  const samples = new Int16Array(Math.round((to - from) * analysisSampleRate));
  let count = 0;
  for await (const part of backend.sound({ path, info, sampleRate: analysisSampleRate, channels: 1, from, to, signal })) {
    const rest = part.subarray(0, samples.length - count);
    samples.set(rest, count);
    count += rest.length;
  }
  if (to === info.duration) return { wav: formatWav(samples, analysisSampleRate), to };
  const end = quietestEnd(samples);
  return { wav: formatWav(samples.subarray(0, end), analysisSampleRate), to: from + end / analysisSampleRate };
}

/** Returns the middle of the window with the least energy in the last seconds, in samples. */
function quietestEnd(samples: Int16Array): number {
  const size = Math.round(window * analysisSampleRate);
  let best = samples.length;
  let least = Infinity;
  for (let start = Math.max(0, samples.length - searched * analysisSampleRate); start + size <= samples.length; start += size) {
    let energy = 0;
    for (const sample of samples.subarray(start, start + size)) energy += sample * sample;
    // Of equally quiet windows the last one, so that parts of silence are long.
    if (energy > least) continue;
    least = energy;
    best = start + size / 2;
  }
  return best;
}
