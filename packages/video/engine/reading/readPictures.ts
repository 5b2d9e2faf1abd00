import { believableEnd } from '../media/believableEnd.ts';
import type { MediaBackend, PictureRequest, PictureStream } from '../media/mediaBackend.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import { analysisHeight, analysisWidth } from '../pictures/frameTrack.ts';
import { PictureMeter, type Measured } from '../pictures/pictureMeter.ts';

interface Source {
  backend: MediaBackend;
  path: string;
  info: MediaInfo;
  signal: AbortSignal;
}

/** What the analysis asks of a decoder. */
export const analysisShape = { width: analysisWidth, height: analysisHeight, format: 'yuv420p' } as const;

export interface MeasuredPictures {
  measured: Measured;
  /** Frames or packets that the decoder reported as damaged. */
  damaged: number;
}

/**
 * Decodes pictures at the size of the analysis and measures them.
 * @param part what the decoder leaves out, the stretch to be read, seconds, and the decoder's threads; the whole video and all threads unless told
 * @param seen hears the time of each picture, seconds
 */
export function readPictures(
  { backend, path, info, signal }: Source, part: Pick<PictureRequest, 'skip' | 'from' | 'to' | 'threads'>, seen: (time: number) => void = () => {},
): Promise<MeasuredPictures> {
  return measureStream(backend.pictures({
    path, info, ...analysisShape, to: believableEnd(info.duration), ...part, signal,
  }), seen);
}

/** Measures pictures of the size of the analysis. @param seen hears the time of each picture, seconds */
export async function measureStream(pictures: PictureStream, seen: (time: number) => void): Promise<MeasuredPictures> {
  const meter = new PictureMeter();
  for await (const picture of pictures) {
    meter.add(picture);
    seen(picture.time);
  }
  return { measured: meter.finish(), damaged: pictures.damaged() };
}
