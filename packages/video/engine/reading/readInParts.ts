import { mediaErrors } from '../mediaErrors.ts';
import { believableEnd } from '../media/believableEnd.ts';
import type { MediaBackend, Picture, PictureRequest, PictureStream } from '../media/mediaBackend.ts';
import type { MediaInfo, PacketIndex } from '../media/mediaInfo.ts';
import type { MediaSource } from '../media/mediaSource.ts';
import { analysisShape } from '../pictures/frameTrack.ts';
import { decodingSeconds } from './chooseTier.ts';
import { readAhead } from './readAhead.ts';
import { splitAtKeys, type KeyStretch } from './splitAtKeys.ts';

/** Containers with an index: a decoder can seek to a key frame directly. */
const indexed = new Set(['mp4', 'mov', 'matroska', 'webm']);
/** Shorter decoding (`decodingSeconds`) is not split, because each decoder takes 0.1 s to start. */
const minSeconds = 8;
/** Decoders at once; each holds some 60 MB at 1080p. */
const maxLanes = 8;
/** Pictures of one part, and pictures that may wait to be measured: 8 kB each. */
const maxPictures = 2_000;
const maxWaiting = 6_000;

/** How many decoders with few threads each read a video faster than one with all of them; 1 where they do not. */
export function decodersAtOnce({ threads }: MediaBackend, info: MediaInfo): number {
  return indexed.has(info.container) && decodingSeconds(info) >= minSeconds ? Math.min(maxLanes, threads) : 1;
}

/**
 * Decodes the pictures of a whole video in parts from key frame to key frame, several at once, each with its share of the
 * threads: a decoder that leaves out B-frames keeps one thread busy whatever it has, and threads of one decoder wait for
 * one another. Gives what decoding from beginning to end gives, where the file has no faults.
 * @param minShare smallest part that is worth a start, share of the whole
 * @throws Problem `decoder-failed` where a part does not begin with its key frame, and what `MediaBackend.pictures` throws
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

/** Two times nearer than this are of one frame, seconds. */
const sameFrame = 1e-4;
