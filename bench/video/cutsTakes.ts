import { join } from 'node:path';
import type { MediaBackend } from '../../packages/video/engine/media/mediaBackend.ts';
import type { RealScene } from './cutsCompose.ts';
import { loadLabels, takesOf } from './cutsLabels.ts';
import { BenchClip } from './cutsMedia.ts';
import { clipHeight, clipWidth } from './cutsSynthetic.ts';

/** Real takes for composing clips. The first half of each take is for tuning, the second half for the test. */
export interface TakeHalves {
  tuning: RealScene[];
  test: RealScene[];
}

const shortestTake = 28;
/** Below this standard deviation of luma, a picture counts as black. */
const emptyDeviation = 12;

/** Reads into memory the takes between the labelled cuts of a folder's clips (about 300 MB). */
export async function loadTakes(backend: MediaBackend, folder: string): Promise<TakeHalves> {
  const halves: TakeHalves = { tuning: [], test: [] };
  for (const [name, labels] of loadLabels(folder)) {
    const clip = await BenchClip.open(backend, join(folder, name));
    const pictures: Uint8Array[] = [];
    for await (const { data } of clip.pictures(clipWidth, clipHeight, 'none')) pictures.push(data);
    const { numerator, denominator } = clip.info.video.frameRate;
    // 60 frames per second are reduced to 30, so that composed clips have one frame rate.
    const step = numerator / denominator > 45 ? 2 : 1;
    for (const { from, to } of takesOf(labels, pictures.length)) {
      const frames = Math.floor((to - from) / step);
      const half = Math.floor(frames / 2);
      const scene = (first: number, count: number): RealScene => ({
        take: `${name}:${from}`, frames: count, read: (frame) => pictures[from + (first + frame) * step]!,
      });
      for (const [set, part] of [['tuning', scene(0, half)], ['test', scene(half, frames - half)]] as const) {
        if (part.frames >= shortestTake && isFilled(part)) halves[set].push(part);
      }
    }
  }
  return halves;
}

function isFilled(scene: RealScene): boolean {
  return [0, scene.frames >> 1, scene.frames - 1].every((frame) => {
    const picture = scene.read(frame);
    let sum = 0;
    let squares = 0;
    for (let at = 0; at < clipWidth * clipHeight; at++) {
      sum += picture[at]!;
      squares += picture[at]! ** 2;
    }
    const mean = sum / (clipWidth * clipHeight);
    return squares / (clipWidth * clipHeight) - mean * mean >= emptyDeviation ** 2;
  });
}
