import { halfHeight, halfPixels, halfWidth, lumaPixels, type PictureSketch } from './pictureSketch.ts';

/** A stretch over which each picture is a mixture of the first and the last one: what dissolves and fades look like. */
export interface Ramp {
  /** Numbers of the last picture before it and of the first one after it, counted from the first picture measured. */
  from: number;
  to: number;
  /** Presentation times of the same. */
  start: number;
  end: number;
  /** Root mean square change over the ramp, levels of grey. */
  change: number;
  /** Share of the change's energy that the mixture does not explain, mean over the stretch, ≥ 0. */
  rest: number;
  /** Largest distance of the mixture's share from a straight line, 0–1. */
  bend: number;
  /** Correlation of both ends' luma, −1 to 1; 0 where one is flat. */
  resemblance: number;
  /** Deviation of luma inside black bars at both ends, levels of grey. */
  contrastBefore: number;
  contrastAfter: number;
}

/** Cells of luma, 3 × 3 half pixels, and of each chroma plane, 6 × 9. */
const lumaColumns = 16;
const lumaCells = 16 * 9;
const chromaCells = 8 * 3;
const cells = lumaCells + 2 * chromaCells;
/** A chroma cell is six luma cells large and chroma spans half the range. */
const chromaGain = 2;

/** Pictures that are kept: the longest ramp and what lies around it. */
const kept = 256;
/** Lengths that are tried, pictures. */
const lengths = [2, 3, 4, 5, 7, 9, 12, 15, 19, 24, 30, 38, 48, 60, 76, 96, 120];
/** Longest ramp, seconds. */
const maxSeconds = 3.2;
/** Shortest ramp, seconds: over less than that, motion is a ramp too. */
const minSeconds = 0.25;
/** Pictures whose cells differ less than this (root mean square, levels of grey) are one picture. */
const sameDifference = 0.3;
/** Where a stretch is probed, shares of its length. */
const probes = [1 / 8, 2 / 8, 3 / 8, 4 / 8, 5 / 8, 6 / 8, 7 / 8] as const;

/** Smallest change, levels of grey; less where a picture appears or vanishes, for small titles. */
const minChange = 7;
const minFade = 2.5;
/** Deviation of a picture that is hardly there. */
const faint = 2.5;
const maxRest = 0.1;
const maxBend = 0.14;

/**
 * Looks for ramps: for each picture and several lengths before it, every picture between is projected on the line from
 * the first to the last. In a dissolve the share grows evenly from 0 to 1 and little is left over; motion leaves much.
 * About 20 µs a picture. Of overlapping ramps the one with the largest, best explained change stays.
 */
export class RampFinder {
  private readonly ring = Array.from({ length: kept }, () => new Float32Array(cells));
  private readonly times = new Float64Array(kept);
  private readonly numbers = new Uint32Array(kept);
  private readonly contrasts = new Float32Array(kept);
  /** First and last row of cells inside black bars. */
  private readonly tops = new Uint8Array(kept);
  private readonly bottoms = new Uint8Array(kept);
  private readonly found: Ramp[] = [];
  /** Worth of each ramp found. */
  private readonly worths: number[] = [];
  /** Pictures that came, and those of them that did not repeat the one before. */
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
    const now = this.count++;
    for (const length of lengths) {
      const from = now - length;
      if (from < 0) break;
      const seconds = time - this.beginOf(from);
      if (seconds > maxSeconds) break;
      if (seconds >= minSeconds) this.tryRamp(from, now);
    }
  }

  /** All ramps in order. */
  finish(): Ramp[] {
    return this.found;
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
    const top = Math.min(this.tops[from % kept]!, this.tops[to % kept]!);
    const bottom = Math.max(this.bottoms[from % kept]!, this.bottoms[to % kept]!);
    // The picture before may have stood still for long: the ramp begins at its last showing.
    const beginning = this.numbers[(from + 1) % kept]! - 1;
    if (!this.makesRoom(beginning, worth)) return;
    this.worths.push(worth);
    const { resemblance, contrastBefore, contrastAfter } = compareEnds(first, last, top * lumaColumns, bottom * lumaColumns);
    const place = { from: beginning, to: this.numbers[to % kept]!, start: this.beginOf(from), end: this.times[to % kept]! };
    this.found.push({ ...place, change, rest, bend, resemblance, contrastBefore, contrastAfter });
  }

  /** When a ramp from this picture begins: it may have stood still for long before, so one step before the next picture. */
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

  /** Drops the ramps that a new one overlaps, unless one of them is worth more. The ends of two ramps may touch. */
  private makesRoom(from: number, worth: number): boolean {
    let keep = this.found.length;
    while (keep > 0 && this.found[keep - 1]!.to > from + 2) {
      if (this.worths[keep - 1]! >= worth) return false;
      keep--;
    }
    this.found.length = keep;
    this.worths.length = keep;
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

/** Whether two pictures are the same but for noise. */
function isRepetition(one: Float32Array, other: Float32Array): boolean {
  let sum = 0;
  for (let cell = 0; cell < cells; cell++) sum += (one[cell]! - other[cell]!) ** 2;
  return sum < sameDifference ** 2 * cells;
}

/** Correlation and deviations of luma over the cells from `begin` to before `end`. */
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
