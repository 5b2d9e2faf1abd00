import { seededRandom, type SeededRandom } from '../../packages/platform/process/seededRandom.ts';
import { clipBytes, clipHeight, clipWidth, drawScene, renderScene } from './cutsSynthetic.ts';

/** A sequence of frames without a cut, from a real clip. */
export interface RealScene {
  /** Name of the take. Two consecutive scenes never come from the same take. */
  take: string;
  frames: number;
  /** Returns one picture of `clipWidth` × `clipHeight` pixels, yuv420p. */
  read(frame: number): Uint8Array;
}

export interface Gradual {
  /** First and last changing frame. */
  first: number;
  last: number;
  kind: 'dissolve' | 'fade';
}

/** Labels of a clip, in frame numbers from 0. */
export interface CutLabels {
  frames: number;
  /** First frames of new shots. */
  hard: number[];
  gradual: Gradual[];
  flashes: number[];
}

interface Piece {
  take: string;
  pictures: Uint8Array[];
}

type Join = { kind: 'cut' } | { kind: 'dissolve'; length: number } | { kind: 'fade'; out: number; black: number; in: number };

const made = 'made';
const joins = 12;
const shortest = 40;
const longest = 100;

/** Smallest difference between the pictures at a join (mean absolute luma); below this value nobody could see a cut. */
const visibleDifference = 4;

/**
 * Composes a clip of 13 scenes, half real and half synthetic, joined by 66 % hard cuts, 18 % dissolves of 8 to 24 frames and 16 %
 * fades through black. 12 % of the scenes contain a flash of one frame.
 */
export function composeClip(seed: number, scenes: readonly RealScene[]): { pictures: Uint8Array[]; labels: CutLabels } {
  const random = seededRandom(seed * 7919);
  const labels: CutLabels = { frames: 0, hard: [], gradual: [], flashes: [] };
  const pictures: Uint8Array[] = [];
  let piece = choosePiece(random, scenes, null);
  for (let number = 0; number <= joins; number++) {
    const last = number === joins;
    if (random.uniform() < 0.12) labels.flashes.push(pictures.length + flash(piece.pictures, random));
    if (last) {
      pictures.push(...piece.pictures);
      break;
    }
    const next = choosePiece(random, scenes, piece);
    piece = { take: next.take, pictures: join(pictures, piece.pictures, next.pictures, fitJoin(drawJoin(random), piece.pictures.length, next.pictures.length), labels) };
  }
  labels.frames = pictures.length;
  return { pictures, labels };
}

function drawJoin(random: SeededRandom): Join {
  const dice = random.uniform();
  if (dice < 0.66) return { kind: 'cut' };
  if (dice < 0.84) return { kind: 'dissolve', length: 8 + random.below(17) };
  return { kind: 'fade', out: 6 + random.below(14), black: random.below(8), in: 6 + random.below(14) };
}

/** Shortens a join so that at least 8 frames of the scene before it remain, and half of the scene after it. */
function fitJoin(how: Join, before: number, after: number): Join {
  const out = (length: number): number => Math.min(length, before - 8);
  const half = Math.floor(after / 2);
  if (how.kind === 'dissolve') return { ...how, length: Math.min(out(how.length), half) };
  if (how.kind === 'fade') return { ...how, out: out(how.out), in: Math.min(how.in, half) };
  return how;
}

/** Appends a scene and its join to the next scene. Returns the remaining pictures of the next scene. */
function join(out: Uint8Array[], scene: Uint8Array[], next: Uint8Array[], how: Join, labels: CutLabels): Uint8Array[] {
  if (how.kind === 'cut') {
    out.push(...scene);
    labels.hard.push(out.length);
    return next;
  }
  if (how.kind === 'dissolve') {
    const kept = scene.length - how.length;
    out.push(...scene.slice(0, kept));
    labels.gradual.push({ first: out.length, last: out.length + how.length - 1, kind: 'dissolve' });
    for (let step = 0; step < how.length; step++) out.push(blend(scene[kept + step]!, next[step]!, (step + 1) / (how.length + 1)));
    return next.slice(how.length);
  }
  const black = blackPicture();
  const kept = scene.length - how.out;
  out.push(...scene.slice(0, kept));
  const first = out.length;
  for (let step = 0; step < how.out; step++) out.push(blend(scene[kept + step]!, black, (step + 1) / (how.out + 1)));
  for (let step = 0; step < how.black; step++) out.push(black);
  for (let step = 0; step < how.in; step++) out.push(blend(black, next[step]!, (step + 1) / (how.in + 1)));
  labels.gradual.push({ first, last: out.length - 1, kind: 'fade' });
  return next.slice(how.in);
}

function choosePiece(random: SeededRandom, scenes: readonly RealScene[], before: Piece | null): Piece {
  for (let attempt = 0; attempt < 50; attempt++) {
    const piece = random.uniform() < 0.5 && scenes.length > 0 ? realPiece(random, scenes) : madePiece(random);
    if (before !== null && piece.take !== made && piece.take === before.take) continue;
    if (before === null || difference(before.pictures.at(-1)!, piece.pictures[0]!) >= visibleDifference) return piece;
  }
  throw new Error('no scene differs from the one before it');
}

function realPiece(random: SeededRandom, scenes: readonly RealScene[]): Piece {
  const scene = random.pick(scenes);
  const frames = Math.min(scene.frames, shortest + random.below(longest - shortest));
  const from = random.below(scene.frames - frames + 1);
  return { take: scene.take, pictures: Array.from({ length: frames }, (_, frame) => scene.read(from + frame)) };
}

function madePiece(random: SeededRandom): Piece {
  const scene = drawScene(random);
  const frames = shortest + random.below(longest - shortest);
  return { take: made, pictures: Array.from({ length: frames }, (_, frame) => renderScene(scene, frame, random)) };
}

/** Brightens one picture in the middle and returns its number. */
function flash(pictures: Uint8Array[], random: SeededRandom): number {
  // Joins can use up to 24 frames at each end of the scene.
  const place = Math.floor(pictures.length / 2);
  pictures[place] = blend(pictures[place]!, evenPicture(235), 0.45 + random.uniform() * 0.5);
  return place;
}

function blend(one: Uint8Array, other: Uint8Array, share: number): Uint8Array {
  return one.map((value, at) => Math.round(value + (other[at]! - value) * share));
}

function difference(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < clipWidth * clipHeight; at++) sum += Math.abs(one[at]! - other[at]!);
  return sum / (clipWidth * clipHeight);
}

function evenPicture(luma: number): Uint8Array {
  return new Uint8Array(clipBytes).fill(luma, 0, clipWidth * clipHeight).fill(128, clipWidth * clipHeight);
}

function blackPicture(): Uint8Array {
  return evenPicture(16);
}
