import { greyOf, mark, markContrast, type GreyPicture } from './greyPicture.ts';
import { findShapes, type Shape } from './letterShapes.ts';

/** Rows to which a picture is reduced: with 360 rows, a third of the small credits is found. */
const rows = 540;
/** Radius of the surroundings with which a pixel is compared, as a share of the rows, and the least difference of luma. */
const surroundings = 0.05;
const contrast = 24;
/** Luma from which a pixel counts as white, whatever is around it: letters on a bright scene. */
const white = 225;

/** Bounds of a letter: rows, and shares of the rows of the picture or of the letter. */
const letter = { rowsLeast: 8, heightMost: 0.3, widthMost: 3, strokeLeast: 0.04, strokeMost: 0.45 };
/** Mean step of luma at the edges of a letter, and share of the steep edges. Shapes in scenes are softer. */
const sharp = { step: 35, steep: 0.7 };
/** Largest differences of neighbours in a line: ratios of heights and strokes, gap in heights, luma. Letters of one line have one colour. */
const neighbours = { heights: 2.3, strokes: 1.9, gap: 1.1, luma: 24 };
/** Letters of a line, and the share of them that stand on one base line. */
const line = { letters: 6, aligned: 0.6 };
/**
 * Letters that touch each other, as in many titles of films: one white shape of at least this share of the picture's width and
 * height, whose edge is longer than that of its rectangle. White shapes in pictures without text have at most 0.84 steep edges.
 */
const joined = { width: 0.1, height: 0.04, step: 100, steep: 0.95, edge: 1.6 };

interface Letter extends Shape {
  height: number;
  grey: number;
  stroke: number;
}

/**
 * Whether a picture shows text that was laid over it, such as a title, credits or subtitles: at least six letters in a line, or a
 * title whose letters touch. Letters are found as shapes of one brightness with steep edges and an even stroke (in the manner of Epshtein, Ofek and
 * Wexler 2010), lines as neighbours of the same height, stroke and brightness. The thresholds were chosen on planted text
 * (`bench/video/posterText.ts`).
 * @param picture packed RGB
 */
export function showsText(picture: { rgb: Uint8Array; width: number; height: number }): boolean {
  const grey = greyOf(picture, rows);
  const marks = markContrast(grey, { radius: Math.max(4, Math.round(surroundings * grey.height)), least: contrast, white });
  const rowsLeast = Math.min(letter.rowsLeast, joined.height * grey.height);
  const shapes = (bit: number, sign: 1 | -1): Shape[] => findShapes(grey, marks, { bit, sign, rowsLeast });
  const whites = shapes(mark.white, 1);
  return whites.some((shape) => isJoinedTitle(grey, shape)) || hasLine(grey, whites) || hasLine(grey, shapes(mark.bright, 1)) || hasLine(grey, shapes(mark.dark, -1));
}

function isJoinedTitle(picture: GreyPicture, shape: Shape): boolean {
  const [width, height] = sizeOf(shape);
  return width >= joined.width * picture.width && height >= joined.height * picture.height
    && shape.steps >= joined.step * shape.edges && shape.steep >= joined.steep * shape.edges && shape.edges >= joined.edge * 2 * (width + height);
}

/** Whether some of the shapes are the letters of a line. */
function hasLine(picture: GreyPicture, shapes: readonly Shape[]): boolean {
  const letters = shapes.flatMap((shape) => letterOf(picture, shape)).sort((a, b) => a.left - b.left || a.top - b.top);
  const lines = new Map<Letter, Letter[]>(letters.map((one) => [one, [one]]));
  for (const [index, one] of letters.entries()) {
    for (const other of following(letters, index)) {
      const [here, there] = [lines.get(one)!, lines.get(other)!];
      if (here === there || !areNeighbours(one, other)) continue;
      here.push(...there);
      for (const moved of there) lines.set(moved, here);
    }
  }
  return [...new Set(lines.values())].some(isLine);
}

/** The letters after a letter, from left to right, that are near enough to be its neighbours. */
function* following(letters: readonly Letter[], index: number): Generator<Letter> {
  const { right, height } = letters[index]!;
  for (let next = index + 1; next < letters.length && letters[next]!.left - right <= neighbours.gap * neighbours.heights * height; next++) yield letters[next]!;
}

function letterOf(picture: GreyPicture, shape: Shape): Letter[] {
  const [width, height] = sizeOf(shape);
  const stroke = (2 * shape.pixels) / shape.edges;
  const fits = height >= letter.rowsLeast && height <= letter.heightMost * picture.height && width <= letter.widthMost * height
    && stroke >= letter.strokeLeast * height && stroke <= letter.strokeMost * height;
  if (!fits || shape.steps < sharp.step * shape.edges || shape.steep < sharp.steep * shape.edges) return [];
  return [{ ...shape, height, grey: shape.luma / shape.pixels, stroke }];
}

function areNeighbours(one: Letter, other: Letter): boolean {
  const [low, high] = one.height < other.height ? [one.height, other.height] : [other.height, one.height];
  return high <= neighbours.heights * low && other.left - one.right <= neighbours.gap * high
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) + 1 >= low / 2
    && Math.abs(one.grey - other.grey) <= neighbours.luma
    && Math.max(one.stroke, other.stroke) <= neighbours.strokes * Math.min(one.stroke, other.stroke);
}

function isLine(letters: readonly Letter[]): boolean {
  if (letters.length < line.letters) return false;
  const base = middle(letters.map(({ bottom }) => bottom));
  const height = middle(letters.map((one) => one.height));
  return letters.filter(({ bottom }) => Math.abs(bottom - base) <= Math.max(1.5, 0.1 * height)).length >= line.aligned * letters.length;
}

function sizeOf({ left, top, right, bottom }: Shape): [width: number, height: number] {
  return [right - left + 1, bottom - top + 1];
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}
