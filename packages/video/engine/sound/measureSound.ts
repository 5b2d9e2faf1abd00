import { SoundMeter } from './soundMeter.ts';
import type { SoundTrack } from './soundTrack.ts';

/**
 * Measures decoded sound as a stream: loudness, onsets, likeness to a voice, and spectra. Memory grows by 1.5 KB per second of
 * sound, whatever the size of the chunks.
 *
 * @param chunks 16-bit mono samples at `analysisSampleRate`; the first sample has the time 0
 */
export async function measureSound(chunks: AsyncIterable<Int16Array> | Iterable<Int16Array>): Promise<SoundTrack> {
  const meter = new SoundMeter();
  for await (const chunk of chunks) meter.push(chunk);
  return meter.finish();
}
