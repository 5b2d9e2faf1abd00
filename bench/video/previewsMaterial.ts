import { join } from 'node:path';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import type { MediaBackend } from '../../packages/video/engine/media/mediaBackend.ts';
import { drawPictures } from './eventsPictures.ts';
import { framesPerSecond, type Scene, type SceneKind, type Word } from './eventsScript.ts';
import { playSound } from './eventsSound.ts';
import { loadLabels, takesOf } from './cutsLabels.ts';
import { BenchClip } from './cutsMedia.ts';

/** Size of the composed pictures: twice the size of the analysis. */
export const pictureWidth = 192;
export const pictureHeight = 108;
export const sampleRate = 16_000;

/** Pictures (yuv420p) of one take without cuts, at `framesPerSecond`. */
export interface Take {
  name: string;
  pictures: readonly Uint8Array[];
  /** Path of the clip, and the time of each picture in it, seconds. */
  clip: string;
  times: readonly number[];
  /** Index of the first picture with a title: 0 for a take of titles alone, Infinity for a take without a title. */
  titleFrom: number;
  /** Where the titles are: on plain black, or over a scene. */
  titleOn: 'black' | 'scene';
}

/** Takes of the clips in which titles are visible, labelled by viewing: logo, credits, text over a scene, and the title of a film. */
export const titledTakes: Readonly<Record<string, Pick<Take, 'titleFrom' | 'titleOn'>>> = {
  'sintel_trailer-720p.mp4:1012': { titleFrom: 0, titleOn: 'black' },
  'sintel_trailer-720p.mp4:1164': { titleFrom: 0, titleOn: 'black' },
  'bbb-1080p.mp4:379': { titleFrom: 70, titleOn: 'scene' },
  'bbb-1080p.mp4:624': { titleFrom: 0, titleOn: 'scene' },
};
const untitled = { titleFrom: Number.POSITIVE_INFINITY, titleOn: 'scene' } as const;

/** Shortest take in pictures, and the lowest standard deviation of luma of a take that shows something. */
const shortest = 1.2 * framesPerSecond;
const emptyDeviation = 12;

/**
 * Reads the takes between the labelled cuts of a folder's clips.
 * @param folder contains the clips and `labels.json`
 */
export async function loadMaterial(backend: MediaBackend, folder: string): Promise<Take[]> {
  const takes: Take[] = [];
  for (const [name, labels] of loadLabels(folder)) {
    const clip = await BenchClip.open(backend, join(folder, name));
    const all: { time: number; data: Uint8Array }[] = [];
    for await (const { time, data } of clip.pictures(pictureWidth, pictureHeight, 'none')) all.push({ time, data });
    for (const { from, to } of takesOf(labels, all.length)) {
      const chosen = everyFifteenth(all.slice(from, to));
      const pictures = chosen.map(({ data }) => data);
      if (pictures.length >= shortest && [0, pictures.length >> 1, pictures.length - 1].every((at) => deviation(pictures[at]!) > emptyDeviation)) {
        takes.push({ name: `${name}:${from}`, pictures, clip: join(folder, name), times: chosen.map(({ time }) => time), ...(titledTakes[`${name}:${from}`] ?? untitled) });
      }
    }
  }
  return takes;
}

/** The pictures nearest to each fifteenth of a second. */
function everyFifteenth<Picture extends { time: number }>(all: readonly Picture[]): Picture[] {
  const pictures: Picture[] = [];
  for (const picture of all) if (picture.time - all[0]!.time >= pictures.length / framesPerSecond - 1e-6) pictures.push(picture);
  return pictures;
}

function deviation(picture: Uint8Array): number {
  const luma = picture.subarray(0, pictureWidth * pictureHeight);
  const mean = luma.reduce((sum, value) => sum + value, 0) / luma.length;
  return Math.sqrt(luma.reduce((sum, value) => sum + (value - mean) ** 2, 0) / luma.length);
}

/** Pictures of a generated scene: a panned background, a card, or rolling credits. */
export function paintScene(kind: SceneKind, style: Scene['style'], seconds: number, seed: number): Uint8Array[] {
  return [...drawPictures({ seed, seconds, events: [], scenes: [sceneOf(kind, seconds, { style, place: seed })] }, pictureWidth, pictureHeight)];
}

/** Sound of a scene: steady noise at `bed` dB of full scale, chords if the kind is `credits`, words, and knocks if it is loud. */
export function playScene(kind: SceneKind, seconds: number, seed: number, { bed, words = [], loud = false }: { bed: number; words?: readonly Word[]; loud?: boolean }): Int16Array {
  const event = loud ? { start: 0.2, end: seconds - 0.2, kind: 'both' as const, strength: 1 } : null;
  return playSound({ seed, seconds, events: [], scenes: [{ ...sceneOf(kind, seconds, { bed, words }), event }] }, sampleRate);
}

function sceneOf(kind: SceneKind, seconds: number, facts: Partial<Scene>): Scene {
  return { kind, start: 0, end: seconds, place: 0, style: 'static', bed: -90, event: null, words: [], walker: null, ...facts };
}

/** Spoken sentences of 3 to 9 words; times from the start of the scene. */
export function speak(seconds: number, seed: number): Word[] {
  const random = seededRandom(seed);
  const words: Word[] = [];
  let at = 0.4;
  while (at < seconds - 1) {
    const count = 3 + random.below(7);
    for (let index = 0; index < count && at < seconds - 1; index++) {
      const end = at + 0.2 + 0.4 * random.uniform();
      words.push({ start: at, end, pitch: 110 + 60 * random.uniform() });
      at = end + 0.03 + 0.1 * random.uniform();
    }
    at += 0.5 + 0.6 * random.uniform();
  }
  return words;
}

/** A darker copy: video levels scaled towards black. */
export function darken(pictures: readonly Uint8Array[]): Uint8Array[] {
  const pixels = pictureWidth * pictureHeight;
  return pictures.map((picture) => picture.map((value, at) => (at < pixels ? 16 + (value - 16) * 0.2 : 128 + (value - 128) * 0.3)));
}

/** A copy without detail: means of blocks of 12 × 12 pixels, interpolated. */
export function blur(pictures: readonly Uint8Array[]): Uint8Array[] {
  return pictures.map((picture) => {
    const copy = picture.slice();
    for (let turn = 0; turn < 3; turn++) {
      boxBlur(copy, 0, pictureWidth, pictureHeight, 1, pictureWidth);
      boxBlur(copy, 0, pictureHeight, pictureWidth, pictureWidth, 1);
    }
    return copy;
  });
}

/** Replaces each pixel of a line by the mean of 11 pixels around it. */
function boxBlur(data: Uint8Array, from: number, length: number, lines: number, step: number, lineStep: number): void {
  const line = new Uint8Array(length);
  for (let row = 0; row < lines; row++) {
    for (let at = 0; at < length; at++) line[at] = data[from + row * lineStep + at * step]!;
    for (let at = 0; at < length; at++) {
      let sum = 0;
      for (let near = -5; near <= 5; near++) sum += line[Math.min(length - 1, Math.max(0, at + near))]!;
      data[from + row * lineStep + at * step] = Math.round(sum / 11);
    }
  }
}
