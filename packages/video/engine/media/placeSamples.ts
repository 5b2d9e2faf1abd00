/** A run of decoded samples with the time of its first one. */
export interface SampleRun {
  /** Seconds on the file's clock. */
  time: number;
  /** Interleaved. */
  samples: Int16Array;
}

interface SamplePlace {
  sampleRate: number;
  channels: number;
  from: number;
  /** Infinity for the whole rest. */
  to: number;
}

/**
 * A run that lies closer to the end of the one before belongs right behind it: containers that count milliseconds shift
 * each packet by up to half of one, and Vorbis says the times of its long blocks up to 21 ms late. 30 ms off is still in
 * step with the picture.
 */
const jitterSeconds = 0.03;
/** Silence is handed out in pieces of this many sample times, so that a wrong timestamp costs no memory. */
const silencePiece = 65_536;

/**
 * Puts runs of samples onto an even clock: sample n lies at `from + n / sampleRate`. Gaps become silence, overlaps are cut.
 * It ends with the sound, or at `to`, up to which it is filled with silence.
 */
export async function* placeSamples(runs: AsyncIterable<SampleRun>, { sampleRate, channels, from, to }: SamplePlace): AsyncGenerator<Int16Array> {
  const end = to === Number.POSITIVE_INFINITY ? to : Math.max(0, Math.round((to - from) * sampleRate));
  const jitter = Math.round(jitterSeconds * sampleRate);
  /** Where the next sample goes; null before the first run, which is placed by its time alone. */
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
    // What was given already, or lies before `from`, is left out.
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
