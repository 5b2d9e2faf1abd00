import { decoderThreads } from '../media/decoderThreads.ts';
import type { MediaSource } from '../media/mediaSource.ts';
import type { Picture, Stretch } from '../media/mediaBackend.ts';
import { analysisShape } from '../pictures/frameTrack.ts';
import { readAhead } from './readAhead.ts';
import { decodersAtOnce } from './readInParts.ts';

/** Maximum number of decoded pictures that wait to be measured, 8 kB each. */
const maxWaiting = 6_000;
/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;

/**
 * Decodes every picture of the stretches, with several decoders at once if that is faster. A stretch from a key frame that the decoder
 * misses is decoded again with a longer way to its start.
 * @param stretches ascending; they do not touch
 * @throws what `MediaBackend.pictures` throws
 */
export async function* decodeStretches(source: MediaSource, stretches: readonly Stretch[]): AsyncGenerator<Picture> {
  const { backend, info, signal } = source;
  const lanes = decodersAtOnce(backend, info);
  const size = lanes === 1 ? stretches.length : Math.ceil(stretches.length / (2 * lanes));
  const groups = Array.from({ length: Math.ceil(stretches.length / size) || 0 }, (_, group) => stretches.slice(group * size, (group + 1) * size));
  const threads = decoderThreads(info, { threads: Math.floor(backend.threads / lanes) });
  const sources = groups.map((some) => (stopped: AbortSignal) => decodeInTurn({ ...source, signal: stopped }, some, threads));
  yield* readAhead({ sources, lanes, waiting: maxWaiting, signal });
}

async function* decodeInTurn(source: MediaSource, stretches: readonly Stretch[], threads: number): AsyncGenerator<Picture> {
  const { backend, path, info, signal } = source;
  let next = 0;
  for await (const picture of backend.pictures({ path, info, ...analysisShape, skip: 'loop-filter', stretches, threads, signal })) {
    while (next < stretches.length && picture.time >= stretches[next]!.from - sameFrame) {
      const { from, to, fromKey = false } = stretches[next]!;
      if (fromKey && picture.time > from + sameFrame) return yield* decodeInTurn(source, withoutSeeking(stretches.slice(next)), threads);
      next += 1;
      if (picture.time < to) break;
    }
    yield picture;
  }
  const left = stretches.slice(next);
  if (left.some(({ fromKey = false }) => fromKey)) yield* decodeInTurn(source, withoutSeeking(left), threads);
}

function withoutSeeking(stretches: readonly Stretch[]): Stretch[] {
  return stretches.map(({ from, to }) => ({ from, to }));
}
