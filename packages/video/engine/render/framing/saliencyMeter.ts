import { analysisHeight, analysisWidth } from '../../pictures/frameTrack.ts';
import { MotionSearch } from '../../pictures/motionSearch.ts';
import { createSketch, halfHeight, halfPixels, halfWidth, lumaPixels, sketchPicture, type PictureSketch } from '../../pictures/pictureSketch.ts';

/** What attracts the eye in the interval between two pictures, summed over rows (columns of the picture) and over columns (rows). */
export interface SaliencySample {
  /** Times of the compared pictures, seconds; equal for the first picture, which has no motion. */
  after: number;
  time: number;
  motion: Profiles;
  texture: Profiles;
}

/** One sum for each of the 96 columns and of the 54 rows of the analysed picture. */
export interface Profiles {
  columns: Float32Array;
  rows: Float32Array;
}

/**
 * Shortest interval between compared pictures, seconds. Consecutive pictures differ too little: an object that crosses the
 * picture in four seconds moves by one pixel in 40 ms.
 */
const interval = 0.1;
/** Differences up to this are noise, levels of grey. */
const noise = 8;
/** Gradients up to this are not texture, levels of grey. */
const flat = 10;

/** Measures where pictures of 96 × 54 pixels (yuv420p) move in another way than the camera, and where they have texture and colour. */
export class SaliencyMeter {
  private readonly search = new MotionSearch();
  private before: PictureSketch = createSketch();
  private now: PictureSketch = createSketch();
  private lastTime = Number.NEGATIVE_INFINITY;
  private readonly found: SaliencySample[] = [];

  /** Adds the next picture; pictures less than 0.1 s after the last one that was used are ignored. */
  add(time: number, data: Uint8Array): void {
    const first = this.found.length === 0;
    if (!first && time < this.lastTime + interval - 1e-3) return;
    [this.before, this.now] = [this.now, this.before];
    sketchPicture(this.now, data);
    this.found.push({
      after: first ? time : this.lastTime, time,
      motion: first ? emptyProfiles() : this.measureMotion(),
      texture: measureTexture(data),
    });
    this.lastTime = time;
  }

  finish(): readonly SaliencySample[] {
    return this.found;
  }

  private measureMotion(): Profiles {
    const { panX, panY } = this.search.compare(this.now, this.before);
    const profiles = emptyProfiles();
    const { data } = this.now;
    const earlier = this.before.data;
    const moving = panX !== 0 || panY !== 0;
    // Pixels that the camera's motion brings into the picture have nothing to compare with; one more is left for neighbours.
    const edge = moving ? 1 : 0;
    const top = Math.max(0, -panY) + edge;
    const bottom = analysisHeight - Math.max(0, panY) - edge;
    const left = Math.max(0, -panX) + edge;
    const right = analysisWidth - Math.max(0, panX) - edge;
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const value = data[y * analysisWidth + x]!;
        const at = (y + panY) * analysisWidth + x + panX;
        const difference = (moving ? nearestDifference(earlier, at, value) : Math.abs(value - earlier[at]!)) - noise;
        if (difference <= 0) continue;
        profiles.columns[x]! += difference;
        profiles.rows[y]! += difference;
      }
    }
    return profiles;
  }
}

/** The smallest difference from a pixel and its four neighbours: the camera moves by fractions of a pixel. */
function nearestDifference(picture: Uint8Array, at: number, value: number): number {
  return Math.min(
    Math.abs(value - picture[at]!), Math.abs(value - picture[at - 1]!), Math.abs(value - picture[at + 1]!),
    Math.abs(value - picture[at - analysisWidth]!), Math.abs(value - picture[at + analysisWidth]!),
  );
}

function emptyProfiles(): Profiles {
  return { columns: new Float32Array(analysisWidth), rows: new Float32Array(analysisHeight) };
}

/** Luma gradients, and distance of the colour from the mean colour of the picture. */
function measureTexture(data: Uint8Array): Profiles {
  const profiles = emptyProfiles();
  const add = (x: number, y: number, value: number): void => {
    profiles.columns[x]! += value;
    profiles.rows[y]! += value;
  };
  for (let y = 0; y < analysisHeight - 1; y++) {
    for (let x = 0; x < analysisWidth - 1; x++) {
      const at = y * analysisWidth + x;
      const gradient = Math.abs(data[at + 1]! - data[at]!) + Math.abs(data[at + analysisWidth]! - data[at]!) - flat;
      if (gradient > 0) add(x, y, gradient);
    }
  }
  const [meanU, meanV] = [lumaPixels, lumaPixels + halfPixels].map((from) => meanOf(data, from, halfPixels)) as [number, number];
  for (let y = 0; y < halfHeight; y++) {
    for (let x = 0; x < halfWidth; x++) {
      const at = lumaPixels + y * halfWidth + x;
      const distance = Math.abs(data[at]! - meanU) + Math.abs(data[at + halfPixels]! - meanV) - flat;
      if (distance <= 0) continue;
      // Each pixel of chroma covers four pixels of luma.
      for (const [right, down] of quarters) add(2 * x + right, 2 * y + down, distance);
    }
  }
  return profiles;
}

const quarters = [[0, 0], [1, 0], [0, 1], [1, 1]] as const;

function meanOf(data: Uint8Array, from: number, count: number): number {
  let sum = 0;
  for (let at = from; at < from + count; at++) sum += data[at]!;
  return sum / count;
}
