import { evenHalf } from '../../media/framingFilters.ts';
import type { Size } from './fitSize.ts';

interface Still extends Size {
  /** Packed RGB, 3 bytes per pixel. */
  rgb: Uint8Array;
}

/**
 * Crops or pads a picture.
 * @param position position of the crop, 0–1
 */
export function frameStill(picture: Still, { width, height }: Size, position: number): Still {
  const rgb = new Uint8Array(3 * width * height);
  const left = offsetOf(picture.width - width, position);
  const top = offsetOf(picture.height - height, position);
  const columns = Math.min(width, picture.width);
  for (let y = Math.max(0, -top); y < Math.min(height, picture.height - top); y += 1) {
    const from = 3 * ((y + top) * picture.width + Math.max(0, left));
    rgb.set(picture.rgb.subarray(from, from + 3 * columns), 3 * (y * width + Math.max(0, -left)));
  }
  return { rgb, width, height };
}

/** Distance of the crop from the edge of the picture, pixels; negative for padding, which is the same on both sides. */
function offsetOf(room: number, position: number): number {
  return room < 0 ? -evenHalf(-room) : Math.round(room * position);
}
