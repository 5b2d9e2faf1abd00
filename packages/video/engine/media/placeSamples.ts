/** Consecutive decoded samples with the time of the first sample. */
export interface SampleRun {
  /** Seconds on the file's clock. */
  time: number;
  /** Interleaved samples. */
  samples: Int16Array;
}

interface SamplePlace {
  sampleRate: number;
  channels: number;
  from: number;
  /** End time, seconds; Infinity for all remaining samples. */
  to: number;
}

/**
 * A run that starts within this distance of the end of the previous run is placed directly after that run. Containers with
 * millisecond timestamps shift each packet by up to half a millisecond, and Vorbis reports the times of long blocks up to 21
 * ms late. A deviation of 30 ms is not noticeable against the picture.
 */
const jitterSeconds = 0.03;
/** Silence is returned in chunks of this many sample times, so that a wrong timestamp does not use much memory. */
const silencePiece = 65_536;

/**
 * Places runs of samples on an even clock: sample n has the time `from + n / sampleRate`. Gaps become silence, overlaps are
 * cut. The stream ends with the sound; if `to` is finite, it is padded with silence up to `to`.
 */
export async function* placeSamples(runs: AsyncIterable<SampleRun>, { sampleRate, channels, from, to }: SamplePlace): AsyncGenerator<Int16Array> {
  const end = to === Number.POSITIVE_INFINITY ? to : Math.max(0, Math.round((to - from) * sampleRate));
  const jitter = Math.round(jitterSeconds * sampleRate);
  /** Position of the next sample; null before the first run, which is placed by its time alone. */
  let next: number | null = null;
  let given = 0;
  for await (const { time, samples } of runs) {
    const length = Math.floor(samples.length / channels);
    const own: number = Math.round((time - from) * sampleRate);
    const start: number = next !== null && Math.abs(own - next) <= jitter ? next : own;
    next = start + length;
    const silent = Math.min(start, end) - given;
    yield* silence(silent, channels);
    given += Math.max(0, silent);
    // Samples before `from`, and samples whose time was already returned, are skipped.
    const skip = given - start;
    const take = Math.min(length - skip, end - given);
    if (take > 0) {
      given += take;
      yield samples.subarray(skip * channels, (skip + take) * channels);
    }
    if (given >= end) return;
  }
  if (end !== Number.POSITIVE_INFINITY) yield* silence(end - given, channels);
}

function* silence(length: number, channels: number): Generator<Int16Array> {
  for (let done = 0; done < length; done += silencePiece) yield new Int16Array(Math.min(silencePiece, length - done) * channels);
}
