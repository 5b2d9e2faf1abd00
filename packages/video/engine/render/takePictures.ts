import type { Analysis } from '../analysis/analysis.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import { firstFrame } from '../media/firstFrame.ts';
import { shownFrame } from '../media/heldPictures.ts';
import { nearestFrame } from '../media/nearestFrame.ts';
import type { Segment } from '../selection/selection.ts';
import type { Source } from './encodePieces.ts';
import type { Size } from './framing/fitSize.ts';

export interface TakenPicture extends Size {
  /** Presentation time, seconds. */
  time: number;
  /** Packed RGB, 3 bytes per pixel. */
  rgb: Uint8Array;
}

export interface PictureSource {
  backend: MediaBackend;
  source: Source;
  signal: AbortSignal;
}

/**
 * A picture at most this much earlier than the requested time counts as the picture at that time, seconds. Frames at 1,000
 * frames per second are further apart.
 */
const tolerance = 0.0005;

/** Decodes the frame at a time (seconds) or the first frame up to 2 s later; null if there is none. */
export async function takePicture({ backend, source, signal }: PictureSource, time: number, size: Size): Promise<TakenPicture | null> {
  const from = Math.max(0, time - tolerance);
  const pictures = backend.pictures({
    path: source.path, info: source.info, ...size, format: 'rgb24', skip: 'none', from, to: from + 2, signal,
  });
  for await (const picture of pictures) return { time: picture.time, rgb: picture.data, ...size };
  return null;
}

/**
 * Time of the best still picture of a segment: near the peaks for which the segment was selected, rich in contrast and detail,
 * and away from the ends, where transitions are. The result is the presentation time of a frame.
 */
export function bestMoment(analysis: Pick<Analysis, 'frames' | 'frameTimes'>, segment: Pick<Segment, 'start' | 'end' | 'reasons'>): number {
  const { times, contrast, detail, difference } = analysis.frames;
  const peaks = segment.reasons.flatMap((reason) => (reason.kind === 'motion' || reason.kind === 'sound' ? [reason] : []));
  const middle = (segment.start + segment.end) / 2;
  const margin = Math.min(0.4, (segment.end - segment.start) / 4);
  let best = { time: middle, worth: -Infinity };
  for (let index = firstFrame(times, segment.start + margin); index < times.length; index += 1) {
    const time = times[index]!;
    if (time > segment.end - margin) break;
    // Typical values of a good picture: contrast 50, detail 6, and a difference below 3 for a still picture.
    const offCentre = Math.abs(time - middle) / (segment.end - segment.start);
    // `at` is the start of a half-second cell; the event is still visible a moment later.
    const near = peaks.reduce((sum, { at, share }) => sum + share * Math.exp(-(((time - at - 0.4) / 0.5) ** 2)), 0);
    // A product, not a sum: the peak may be a flash or a fade, which shows nothing.
    const worth = (contrast[index]! / 50 + detail[index]! / 6) * (1 + 2 * near) - difference[index]! / 12 - 0.3 * offCentre;
    if (worth > best.worth) best = { time, worth };
  }
  if (best.worth === -Infinity) return shownFrame(analysis.frameTimes, middle);
  return nearestFrame(analysis.frameTimes, best.time);
}

/** Reduces a packed RGB picture to a smaller size by area averaging, so that a small copy needs no second decoding. */
export function shrink(picture: TakenPicture, size: Size): TakenPicture {
  const rgb = new Uint8Array(size.width * size.height * 3);
  for (let y = 0; y < size.height; y += 1) {
    const [top, bottom] = span(y, size.height, picture.height);
    for (let x = 0; x < size.width; x += 1) {
      const [left, right] = span(x, size.width, picture.width);
      const pixels = (bottom - top) * (right - left);
      let [red, green, blue] = [0, 0, 0];
      for (let row = top; row < bottom; row += 1) {
        for (let column = left; column < right; column += 1) {
          const from = (row * picture.width + column) * 3;
          red += picture.rgb[from]!;
          green += picture.rgb[from + 1]!;
          blue += picture.rgb[from + 2]!;
        }
      }
      rgb.set([Math.round(red / pixels), Math.round(green / pixels), Math.round(blue / pixels)], (y * size.width + x) * 3);
    }
  }
  return { time: picture.time, rgb, ...size };
}

/** Range of source pixels (start, end) that one pixel of the smaller picture covers; at least one pixel. */
function span(index: number, length: number, sourceLength: number): [number, number] {
  const start = Math.min(sourceLength - 1, Math.floor((index * sourceLength) / length));
  return [start, Math.max(start + 1, Math.floor(((index + 1) * sourceLength) / length))];
}
