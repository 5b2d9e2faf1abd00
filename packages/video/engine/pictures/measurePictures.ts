import type { Picture } from '../media/mediaBackend.ts';
import { PictureMeter, type Measured } from './pictureMeter.ts';

/**
 * Measures all pictures of a stream.
 * @param pictures pictures of 96 × 54 pixels, yuv420p, in ascending order of time
 * @param onPicture called with the presentation time (seconds) of each picture, for progress
 */
export async function measurePictures(pictures: AsyncIterable<Pick<Picture, 'time' | 'data'>>, onPicture?: (time: number) => void): Promise<Measured> {
  const meter = new PictureMeter();
  for await (const picture of pictures) {
    meter.add(picture);
    onPicture?.(picture.time);
  }
  return meter.finish();
}
