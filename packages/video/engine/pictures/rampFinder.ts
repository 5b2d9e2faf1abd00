import { mixtureAgainstMotion, type Rows } from './mixtureAgainstMotion.ts';
import { halfHeight, halfPixels, halfWidth, lumaPixels, type PictureSketch } from './pictureSketch.ts';

/** A sequence in which each picture is a mixture of the first and the last picture, as in a dissolve or a fade. */
export interface Ramp {
  /**
   * Index of the last picture before the ramp and of the first picture after the ramp, counted from the first measured
   * picture.
   */
  from: number;
  to: number;
  /** Presentation times of the start and the end of the ramp, seconds. */
  start: number;
  end: number;
  /** Root mean square change between both ends, levels of grey. */
  change: number;
  /** Share of the change's energy that the mixture does not explain, averaged over the ramp, ≥ 0. */
  rest: number;
  /** Largest deviation of the mixing ratio from a linear course, 0–1. */
  bend: number;
  /** Correlation of the luma of both ends, −1 to 1; 0 if one end is flat. */
  resemblance: number;
  /** Result of `mixtureAgainstMotion` at the middle picture: negative in a dissolve, positive if parts of the picture move. */
  motion: number;
  /** Standard deviation of luma inside black bars at both ends, levels of grey. */
  contrastBefore: number;
  contrastAfter: number;
}

/** Number of cells of luma (3 × 3 half pixels each) and of each chroma plane (6 × 9 each). */
const lumaColumns = 16;
const lumaCells = 16 * 9;
const chromaCells = 8 * 3;
const cells = lumaCells + 2 * chromaCells;
/** Weight of a chroma value, because a chroma cell is as large as six luma cells and chroma uses half of the value range. */
const chromaGain = 2;

/** Number of buffered pictures: the longest ramp and its surroundings. */
const kept = 256;
/** Ramp lengths to test, in pictures. */
const lengths = [2, 3, 4, 5, 7, 9, 12, 15, 19, 24, 30, 38, 48, 60, 76, 96, 120];
/** Longest ramp, seconds. */
const maxSeconds = 3.2;
/** Shortest ramp, seconds: over a shorter time, motion resembles a ramp too. */
const minSeconds = 0.25;
/** Pictures whose cells differ by less than this (root mean square, levels of grey) are repetitions of one picture. */
const sameDifference = 0.3;
/** Positions of the tested pictures within a ramp, as shares of its length. */
const probes = [1 / 8, 2 / 8, 3 / 8, 4 / 8, 5 / 8, 6 / 8, 7 / 8] as const;

/**
 * Smallest change of a ramp, levels of grey. `minFade` applies if one end is nearly empty, so that fades of small titles
 * count.
 */
const minChange = 7;
const minFade = 2.5;
/** A picture with a smaller standard deviation of luma is nearly empty. */
const faint = 2.5;
const maxRest = 0.1;
const maxBend = 0.14;

/** A ramp that a later ramp can replace. */
interface FoundRamp {
  ramp: Ramp;
  /** Quality: a change that is large and well explained. */
  worth: number;
  /** Counts of the first and the last picture. */
  from: number;
  to: number;
}

/**
 * Finds ramps. For each picture and each tested length, the pictures in between are projected onto the line from the first to
 * the last picture. In a dissolve, the mixing ratio grows evenly from 0 to 1 and the remainder is small; motion leaves a large
 * remainder. Of overlapping ramps, the one with the largest and best explained change is kept. Costs about 20 µs per picture.
 */
export class RampFinder {
  private readonly ring = Array.from({ length: kept }, () => new Float32Array(cells));
  private readonly times = new Float64Array(kept);
  private readonly numbers = new Uint32Array(kept);
  private readonly contrasts = new Float32Array(kept);
  /** First row of cells inside the black bars, and the row after the last one. */
  private readonly tops = new Uint8Array(kept);
  private readonly bottoms = new Uint8Array(kept);
  /** Luma at 48 × 27 of the buffered pictures, allocated on first use: a short window needs few of them. */
  private readonly halves: Uint8Array[] = [];
  private readonly found: FoundRamp[] = [];
  /** Number of found ramps that no later ramp can replace, and whose motion is measured. */
  private settled = 0;
  /** Number of all added pictures, and of the added pictures that do not repeat the previous one. */
  private pictures = 0;
  private count = 0;
  private readonly trial = { rest: 0, bend: 0 };

  add(time: number, sketch: PictureSketch): void {
    const slot = this.count % kept;
    const picture = this.pictures++;
    describe(sketch, this.ring[slot]!);
    if (this.count > 0 && isRepetition(this.ring[slot]!, this.ring[(this.count - 1) % kept]!)) return;
    this.times[slot] = time;
    this.numbers[slot] = picture;
    this.contrasts[slot] = sketch.contrast;
    this.tops[slot] = Math.ceil(sketch.top / 3);
    this.bottoms[slot] = Math.floor(sketch.bottom / 3);
    (this.halves[slot] ??= new Uint8Array(halfPixels)).set(sketch.half);
    const now = this.count++;
    this.settle(now - lengths.at(-1)!);
    for (const length of lengths) {
      const from = now - length;
      if (from < 0) break;
      const seconds = time - this.beginOf(from);
      if (seconds > maxSeconds) break;
      if (seconds >= minSeconds) this.tryRamp(from, now);
    }
  }

  /** Returns all ramps in chronological order. */
  finish(): Ramp[] {
    this.settle(Infinity);
    return this.found.map(({ ramp }) => ramp);
  }

  /** Measures the motion of the ramps that end before this picture: later pictures cannot replace these ramps. */
  private settle(before: number): void {
    for (; this.settled < this.found.length && this.found[this.settled]!.to < before; this.settled++) {
      const { ramp, from, to } = this.found[this.settled]!;
      const half = (picture: number): Uint8Array => this.halves[picture % kept]!;
      const { top, bottom } = this.rowsOf(from, to);
      ramp.motion = mixtureAgainstMotion(half(from), half((from + to) >> 1), half(to), { top: 3 * top, bottom: 3 * bottom });
    }
  }

  private tryRamp(from: number, to: number): void {
    const first = this.ring[from % kept]!;
    const last = this.ring[to % kept]!;
    let energy = 0;
    for (let cell = 0; cell < cells; cell++) {
      const step = last[cell]! - first[cell]!;
      energy += step * step;
    }
    const change = Math.sqrt(energy / cells);
    const vanishes = Math.min(this.contrasts[from % kept]!, this.contrasts[to % kept]!) < faint;
    if (change < (vanishes ? minFade : minChange) || !this.isMixture(from, to, first, last, energy)) return;
    const { rest, bend } = this.trial;
    const worth = change * (1 - rest / maxRest) * (1 - (0.7 * bend) / maxBend);
    const { top, bottom } = this.rowsOf(from, to);
    // The first picture may have been repeated many times; the ramp starts at its last repetition.
    const beginning = this.numbers[(from + 1) % kept]! - 1;
    if (!this.makesRoom(beginning, worth)) return;
    const { resemblance, contrastBefore, contrastAfter } = compareEnds(first, last, top * lumaColumns, bottom * lumaColumns);
    const place = { from: beginning, to: this.numbers[to % kept]!, start: this.beginOf(from), end: this.times[to % kept]! };
    this.found.push({ ramp: { ...place, change, rest, bend, resemblance, motion: 0, contrastBefore, contrastAfter }, worth, from, to });
  }

  /** The rows of cells inside the black bars that both ends have. */
  private rowsOf(from: number, to: number): Rows {
    return { top: Math.min(this.tops[from % kept]!, this.tops[to % kept]!), bottom: Math.max(this.bottoms[from % kept]!, this.bottoms[to % kept]!) };
  }

  /**
   * Start time of a ramp from this picture. The picture may have been repeated many times before the ramp, so the start is at
   * most one step before the next picture.
   */
  private beginOf(from: number): number {
    const step = this.times[(from + 2) % kept]! - this.times[(from + 1) % kept]!;
    return Math.max(this.times[from % kept]!, this.times[(from + 1) % kept]! - step);
  }

  private isMixture(from: number, to: number, first: Float32Array, last: Float32Array, energy: number): boolean {
    const { trial } = this;
    const begin = this.beginOf(from);
    const end = this.times[to % kept]!;
    let restSum = 0;
    trial.bend = 0;
    let tried = 0;
    let before = -1;
    for (const probe of probes) {
      const place = from + Math.round(probe * (to - from));
      if (place === before || place === from || place === to) continue;
      before = place;
      const picture = this.ring[place % kept]!;
      let along = 0;
      let all = 0;
      for (let cell = 0; cell < cells; cell++) {
        const moved = picture[cell]! - first[cell]!;
        along += moved * (last[cell]! - first[cell]!);
        all += moved * moved;
      }
      const share = along / energy;
      const rest = Math.max(0, all / energy - share * share);
      const due = (this.times[place % kept]! - begin) / (end - begin);
      const bend = Math.abs(share - due);
      restSum += rest;
      tried++;
      if (bend > trial.bend) trial.bend = bend;
      if (rest > 2 * maxRest || bend > maxBend) return false;
    }
    trial.rest = restSum / tried;
    return trial.rest <= maxRest;
  }

  /**
   * Removes the ramps that a new ramp overlaps; returns false if one of these is worth at least as much. Touching ends do not
   * overlap.
   */
  private makesRoom(from: number, worth: number): boolean {
    let keep = this.found.length;
    while (keep > 0 && this.found[keep - 1]!.ramp.to > from + 2) {
      if (this.found[keep - 1]!.worth >= worth) return false;
      keep--;
    }
    this.found.length = keep;
    return true;
  }
}

function describe({ data, half }: PictureSketch, out: Float32Array): void {
  out.fill(0);
  for (let y = 0; y < halfHeight; y++) {
    const row = Math.floor(y / 3) * lumaColumns;
    for (let column = 0, at = y * halfWidth; column < lumaColumns; column++, at += 3) {
      out[row + column]! += (half[at]! + half[at + 1]! + half[at + 2]!) / 9;
    }
  }
  for (let plane = 0; plane < 2; plane++) {
    let at = lumaPixels + plane * halfPixels;
    for (let y = 0; y < halfHeight; y++) {
      const row = lumaCells + plane * chromaCells + Math.floor(y / 9) * 8;
      for (let column = 0; column < 8; column++, at += 6) {
        const sum = data[at]! + data[at + 1]! + data[at + 2]! + data[at + 3]! + data[at + 4]! + data[at + 5]!;
        out[row + column]! += (sum * chromaGain) / 54;
      }
    }
  }
}

/** Whether two pictures differ only by noise. */
function isRepetition(one: Float32Array, other: Float32Array): boolean {
  let sum = 0;
  for (let cell = 0; cell < cells; cell++) sum += (one[cell]! - other[cell]!) ** 2;
  return sum < sameDifference ** 2 * cells;
}

/** Correlation and standard deviations of luma over the cells from `begin` to before `end`. */
function compareEnds(one: Float32Array, other: Float32Array, begin: number, end: number): Pick<Ramp, 'resemblance' | 'contrastBefore' | 'contrastAfter'> {
  const count = end - begin;
  if (count <= 0) return { resemblance: 0, contrastBefore: 0, contrastAfter: 0 };
  let sumA = 0;
  let sumB = 0;
  let squaresA = 0;
  let squaresB = 0;
  let products = 0;
  for (let cell = begin; cell < end; cell++) {
    sumA += one[cell]!;
    sumB += other[cell]!;
    squaresA += one[cell]! ** 2;
    squaresB += other[cell]! ** 2;
    products += one[cell]! * other[cell]!;
  }
  const contrastBefore = Math.sqrt(Math.max(0, squaresA / count - (sumA / count) ** 2));
  const contrastAfter = Math.sqrt(Math.max(0, squaresB / count - (sumB / count) ** 2));
  const flat = Math.min(contrastBefore, contrastAfter) < faint;
  const resemblance = flat ? 0 : (products / count - (sumA / count) * (sumB / count)) / (contrastBefore * contrastAfter);
  return { resemblance, contrastBefore, contrastAfter };
}
