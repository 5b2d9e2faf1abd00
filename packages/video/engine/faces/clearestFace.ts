import type { Face, RgbPicture } from './findFaces.ts';

/** Heights of faces, as shares of the picture's height: up to the first, a face is too small to matter; from the second on, it fills the picture enough. */
const heights = { least: 0.1, enough: 0.3 };
/** Share of a face's bounds inside the picture: at the first or less, the border cuts the face. The bounds are rough, so some of them may be missing. */
const inside = { least: 0.85, enough: 0.97 };
/** Step of luma between neighbouring pixels that the sharpest twentieth of a face's pixels reach: eyes and mouths out of focus stay below the first. */
const steps = { least: 8, enough: 24 };

/**
 * How well a picture shows a face, 0–1: 1 for a face that is large enough, whole and sharp; 0 without such a face.
 * @param picture the picture at about 320 × 180 pixels, in which the faces were found
 */
export function clearestFace(picture: RgbPicture, faces: readonly Face[]): number {
  return faces.reduce((most, face) => Math.max(most, clarityOf(picture, face)), 0);
}

function clarityOf(picture: RgbPicture, { left, top, width, height }: Face): number {
  const [from, to] = [Math.max(0, left), Math.min(1, left + width)];
  const [begin, end] = [Math.max(0, top), Math.min(1, top + height)];
  if (to <= from || end <= begin) return 0;
  const whole = ((to - from) * (end - begin)) / (width * height);
  const step = sharpestStep(picture, { from: from * picture.width, to: to * picture.width, begin: begin * picture.height, end: end * picture.height });
  return rise(height, heights) * rise(whole, inside) * rise(step, steps);
}

/** 0 up to `least`, 1 from `enough` on, even between. */
function rise(value: number, { least, enough }: { least: number; enough: number }): number {
  return Math.max(0, Math.min(1, (value - least) / (enough - least)));
}

/** Step of luma to the right and lower neighbours that a twentieth of the pixels of a rectangle exceed. */
function sharpestStep({ width, height, rgb }: RgbPicture, { from, to, begin, end }: { from: number; to: number; begin: number; end: number }): number {
  const lumaAt = (x: number, y: number): number => {
    const at = (y * width + x) * 3;
    return 0.299 * rgb[at]! + 0.587 * rgb[at + 1]! + 0.114 * rgb[at + 2]!;
  };
  const found: number[] = [];
  for (let y = Math.floor(begin); y < Math.min(end, height - 1); y++) {
    for (let x = Math.floor(from); x < Math.min(to, width - 1); x++) {
      const luma = lumaAt(x, y);
      found.push(Math.hypot(lumaAt(x + 1, y) - luma, lumaAt(x, y + 1) - luma));
    }
  }
  return found.sort((one, other) => other - one)[Math.floor(found.length / 20)] ?? 0;
}
