import type { Picture } from '../media/mediaBackend.ts';
import { PictureMeter, type Measured } from './pictureMeter.ts';

/**
 * Measures all pictures of a stream (96 × 54 yuv420p, ascending times).
 * @param onPicture called with the time of each picture measured, for progress
 */
export async function measurePictures(pictures: AsyncIterable<Pick<Picture, 'time' | 'data'>>, onPicture?: (time: number) => void): Promise<Measured> {
  const meter = new PictureMeter();
  for await (const picture of pictures) {
    meter.add(picture);
    onPicture?.(picture.time);
  }
  return meter.finish();
}
