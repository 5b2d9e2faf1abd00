import type { MediaSource } from '../media/mediaSource.ts';
import type { FaceWeights } from './faceNetwork.ts';
import type { FaceSample } from './facesShown.ts';
import { findFaces } from './findFaces.ts';

/** Pixels of a searched picture. With half as many, three of seven faces are found. */
const pixels = 320 * 180;
/** Shortest interval between searched pictures, seconds, and most pictures of one request: a picture takes about 0.1 s of processor time. */
const shortest = 0.75;
const most = 32;

/** Seconds between searched pictures for segments of this many seconds in total. */
export function faceInterval(seconds: number): number {
  return Math.max(shortest, seconds / most);
}

/** Decodes a part of a video and searches one picture in each interval for faces. */
export async function measureFaces({ backend, path, info, signal }: MediaSource, weights: FaceWeights, { start, end, interval }: { start: number; end: number; interval: number }): Promise<FaceSample[]> {
  const size = faceSearchSize(info.video);
  const samples: FaceSample[] = [];
  let due = Number.NEGATIVE_INFINITY;
  for await (const { time, data } of backend.pictures({ path, info, ...size, format: 'rgb24', skip: 'bidirectional', from: start, to: end, signal })) {
    if (time < due) continue;
    due = time + interval;
    samples.push({ time, faces: findFaces(weights, { ...size, rgb: data }) });
  }
  return samples;
}

/** Size at which a picture is searched for faces. */
export function faceSearchSize({ width, height }: { width: number; height: number }): { width: number; height: number } {
  const scale = Math.min(1, Math.sqrt(pixels / (width * height)));
  const even = (value: number): number => Math.max(2, 2 * Math.round((scale * value) / 2));
  return { width: even(width), height: even(height) };
}
