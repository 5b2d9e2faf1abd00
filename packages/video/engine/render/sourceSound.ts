import type { MediaBackend } from '../media/mediaBackend.ts';
import type { Source } from './encodePieces.ts';
import { soundRate } from './previewPlan.ts';

const channels = 2;
/** Decoding and discarding this much sound (seconds) costs about as much as starting a decoder. */
const worthReading = 30;

/** A part of the source's sound. */
export interface SoundSpan {
  /** Start in the source, seconds. */
  from: number;
  /** Number of samples per channel at `soundRate`. */
  samples: number;
}

/**
 * Reads parts of the source's sound one after another, as interleaved stereo. One decoder reads all parts that follow each
 * other closely.
 */
export class SourceSound {
  private readonly from: { backend: MediaBackend; source: Source; signal: AbortSignal };
  private readonly spans: readonly SoundSpan[];
  private index = 0;
  private reader: Reader | null = null;

  constructor(from: { backend: MediaBackend; source: Source; signal: AbortSignal }, spans: readonly SoundSpan[]) {
    this.from = from;
    this.spans = spans;
  }

  /**
   * Yields the samples of the next part in chunks that the caller may modify. After the end of the source's sound, yields
   * silence.
   */
  async* next(): AsyncGenerator<Int16Array> {
    const span = this.spans[this.index];
    if (span === undefined) throw new Error('the plan has no further range of sound');
    if (this.index === 0 || !follows(this.spans[this.index - 1]!, span)) {
      await this.close();
      this.reader = this.open(this.index);
    }
    this.index += 1;
    yield* this.reader!.read(span);
  }

  close(): Promise<void> {
    return this.reader?.close() ?? Promise.resolve();
  }

  /** Opens a decoder that reads from part `first` to the last part that follows closely. */
  private open(first: number): Reader {
    const { backend, source, signal } = this.from;
    let last = first;
    while (last + 1 < this.spans.length && follows(this.spans[last]!, this.spans[last + 1]!)) last += 1;
    const { from } = this.spans[first]!;
    return new Reader(from, backend.sound({
      path: source.path, info: source.info, sampleRate: soundRate, channels, from, to: endOf(this.spans[last]!), signal,
    }));
  }
}

function endOf({ from, samples }: SoundSpan): number {
  return from + samples / soundRate;
}

function follows(before: SoundSpan, after: SoundSpan): boolean {
  const gap = after.from - endOf(before);
  return gap >= -0.5 / soundRate && gap <= worthReading;
}

class Reader {
  private readonly start: number;
  private readonly chunks: AsyncIterator<Int16Array>;
  private left = new Int16Array(0);
  /** Number of samples since the start that were returned or skipped. */
  private at = 0;
  private ended = false;

  constructor(start: number, sound: AsyncIterable<Int16Array>) {
    this.start = start;
    this.chunks = sound[Symbol.asyncIterator]();
  }

  async* read({ from, samples }: SoundSpan): AsyncGenerator<Int16Array> {
    const begin = Math.max(this.at, Math.round((from - this.start) * soundRate));
    while (this.at < begin) await this.take(begin - this.at);
    for (const end = begin + samples; this.at < end; ) yield await this.take(end - this.at);
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  /** Returns at least one sample and at most `wanted` samples. */
  private async take(wanted: number): Promise<Int16Array> {
    while (this.left.length === 0 && !this.ended) {
      const { value, done } = await this.chunks.next();
      if (done === true) this.ended = true;
      else this.left = value.slice();
    }
    const samples = this.ended && this.left.length === 0 ? Math.min(wanted, soundRate) : Math.min(wanted, this.left.length / channels);
    const taken = this.left.length === 0 ? new Int16Array(samples * channels) : this.left.subarray(0, samples * channels);
    this.left = this.left.subarray(samples * channels);
    this.at += samples;
    return taken;
  }
}
