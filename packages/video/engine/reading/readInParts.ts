import { mediaErrors } from '../mediaErrors.ts';
import { believableEnd } from '../media/believableEnd.ts';
import type { MediaBackend, Picture, PictureRequest, PictureStream } from '../media/mediaBackend.ts';
import type { MediaInfo, PacketIndex } from '../media/mediaInfo.ts';
import type { MediaSource } from '../media/mediaSource.ts';
import { analysisShape } from '../pictures/frameTrack.ts';
import { decodingSeconds } from './chooseTier.ts';
import { readAhead } from './readAhead.ts';
import { splitAtKeys, type KeyStretch } from './splitAtKeys.ts';

const indexed = new Set(['mp4', 'mov', 'matroska', 'webm']);
/** Shorter decoding (`decodingSeconds`) is not split, because each decoder takes 0.1 s to start. */
const minSeconds = 8;
/** Maximum number of simultaneous decoders; each uses about 60 MB at 1080p. */
const maxLanes = 8;
/** Maximum number of pictures per part, and of decoded pictures that wait to be measured: 8 kB each. */
const maxPictures = 2_000;
const maxWaiting = 6_000;

/** Whether the container has an index, so that a decoder can seek to a key frame directly. */
export function hasIndex({ container }: MediaInfo): boolean {
  return indexed.has(container);
}

/**
 * Number of decoders, with few threads each, that read the video faster than one decoder with all threads; 1 if several are
 * not faster.
 */
export function decodersAtOnce({ threads }: MediaBackend, info: MediaInfo): number {
  return hasIndex(info) && decodingSeconds(info) >= minSeconds ? Math.min(maxLanes, threads) : 1;
}

/**
 * Decodes the pictures of a whole video in parts that start at key frames. Several decoders run at once, each with its share
 * of the threads: a decoder that skips B-frames uses only one thread, and the threads of one decoder wait for each other. For
 * a file without faults, the pictures are the same as those of one decoder that reads from beginning to end.
 * @param minShare smallest part that is worth starting a decoder, as a share of the whole
 * @throws Problem `decoder-failed` if a part does not start with its key frame; also what `MediaBackend.pictures` throws
 */
export function readInParts(
  { backend, path, info, signal }: MediaSource, skip: PictureRequest['skip'], packets: PacketIndex, minShare = minSeconds / decodingSeconds(info),
): PictureStream {
  const lanes = Math.min(maxLanes, backend.threads);
  const parts = splitAtKeys(packets, { lanes, minShare, maxPictures });
  const streams: PictureStream[] = [];
  const sources = parts.map(({ from, to = believableEnd(info.duration) }) => (stopped: AbortSignal) => {
    const stream = backend.pictures({
      path, info, ...analysisShape, skip, ...(from === undefined ? {} : { from, fromKey: true }), to, threads: Math.floor(backend.threads / lanes), signal: stopped,
    });
    streams.push(stream);
    return beginningAt(from, stream);
  });
  return {
    damaged: () => streams.reduce((sum, stream) => sum + stream.damaged(), 0),
    [Symbol.asyncIterator]: () => readAhead({ sources, lanes, waiting: maxWaiting, signal }),
  };
}

async function* beginningAt(from: KeyStretch['from'], pictures: AsyncIterable<Picture>): AsyncGenerator<Picture> {
  let first = true;
  for await (const picture of pictures) {
    if (first && from !== undefined && Math.abs(picture.time - from) > sameFrame) break;
    first = false;
    yield picture;
  }
  if (first) throw mediaErrors.problem('decoder-failed', `The decoder did not start at the key frame at ${from ?? 0} s. Encode the file again with a current encoder.`);
}

/** Times that differ by less than this belong to the same frame, seconds. */
const sameFrame = 1e-4;
