import { analysisWidth } from './frameTrack.ts';
import { blockColumns as columns, blockPixels, blocks, blockSize, pageShare, showsOther } from './pageBlocks.ts';
import { lumaPixels } from './pictureSketch.ts';

const blockOf = Uint8Array.from({ length: lumaPixels }, (_, at) => Math.floor(Math.floor(at / analysisWidth) / blockSize) * columns + Math.floor((at % analysisWidth) / blockSize));

/** A block moves if it differs from two pictures before by more than this, levels of grey: a dissolve of one second between two texts does. */
const moves = 0.5;
/** A picture is still if at most this share of its blocks moves: the picture of a speaker beside slides takes up to a sixth. */
const stillShare = 0.17;
/** A change begins if this share of the blocks moves that did not move before; a line that is added to a slide moves less. */
const freshShare = 0.08;
/** A block is busy if it moved in this share of the last pictures; `keep` is the share of the average that one picture leaves. */
const busy = { share: 0.1, keep: 0.97 } as const;
/** Mean difference of the other blocks in still pictures, levels of grey: slides and screens are repeated exactly, cameras have noise. */
const noise = 0.12;
/** Still time before and after a change, seconds, and the longest change between. */
const stillSeconds = 0.4;
/** A picture that is shown for this long is still without others like it, seconds: recorders store one frame of a slide. */
const heldSeconds = 2;
const longestChange = 2.5;
/** A picture shows the new page alone if it differs from it by at most this share of the difference of both pages. */
const reached = 0.1;
/** A coarsely coded picture that differs by at most this share, and from the one two later by less than `unchanged` of it, shows the new page too: the next key frame corrects it. */
const settled = 0.2;
const unchanged = 0.02;
/** A change is sudden if one step makes this share of the difference of both pages. */
const suddenShare = 0.6;
/** A gradual change is a dissolve if its middle picture is a mixture of both pages except for this share of their difference: up to 0.08 in talks whose slides dissolve, 0.13 without B-frames and loop filter. */
const mixtureRest = 0.16;
/** Seconds that one of two pages must be shown: slides are, the places between which somebody scrolls are not. */
const shortestPage = 5;

/** A change from one still page to another, such as from slide to slide. */
export interface PageChange {
  /** Index of the first picture of a sudden change that shows the new page; of a dissolve, the first picture that differs from the old page. */
  from: number;
  /** Index of the first picture that shows the new page alone. */
  to: number;
  sudden: boolean;
}

/** Pixels of a picture while it changes. */
interface Step {
  index: number;
  luma: Uint8Array;
  /** Difference from the picture before, levels of grey in total. */
  size: number;
}

/**
 * Finds changes from one still page to another: slides on one template, or files in an editor, differ in their text alone, so whole pictures
 * correlate by 0.8 to 0.99. The picture is compared in blocks instead, by their pattern, so that light does not count. What moves while the
 * page is still (a cursor, a clock, a speaker beside the slides) is not compared.
 */
export class PageFinder {
  private readonly found: PageChange[] = [];
  /** Times of `found`, seconds. */
  private readonly times: number[] = [];
  private readonly sums = new Uint32Array(blocks);
  private readonly laggedSums = new Uint32Array(blocks);
  /** Average of how often each block moved, outside changes. */
  private readonly movement = new Float32Array(blocks);
  private stillFrom = Number.NEGATIVE_INFINITY;
  private rest = { sum: 0, count: 0 };
  /** The page before the change, and the pictures since; null while nothing changes. */
  private change: { before: Uint8Array; start: number; steps: Step[] } | null = null;
  private last: { time: number; luma: Uint8Array } = { time: Number.NEGATIVE_INFINITY, luma: new Uint8Array(0) };

  /**
   * Adds the next picture.
   * @param previous the pictures one and two before; the same if there is only one, null for the first picture
   */
  add(index: number, time: number, now: Uint8Array, previous: { one: Uint8Array; two: Uint8Array } | null): void {
    if (previous !== null) this.follow(index, time, now, previous);
    this.last = { time, luma: now };
  }

  /**
   * The changes in chronological order, without those between two pages that are shown for a short time: scrolling is no change of
   * the scene. A page that is still until the end needs no minimum time.
   */
  finish(): PageChange[] {
    if (this.change !== null && this.rest.count > 0) this.close(this.last.luma);
    return this.found.filter((_, place) => [place, place + 1].some((next) => (this.times[next] ?? Infinity) - (this.times[next - 1] ?? -Infinity) >= shortestPage));
  }

  private follow(index: number, time: number, now: Uint8Array, { one, two }: { one: Uint8Array; two: Uint8Array }): void {
    if (time - this.last.time >= heldSeconds) this.hold(one);
    const { moving, fresh, rest } = this.compare(now, one, two);
    if (moving > stillShare || fresh > freshShare) {
      if (this.change === null && this.isStill(this.last.time)) this.change = { before: one.slice(0, lumaPixels), start: time, steps: [] };
      this.stillFrom = Number.NaN;
      this.rest = { sum: 0, count: 0 };
    } else {
      if (Number.isNaN(this.stillFrom)) this.stillFrom = time;
      this.rest.sum += rest;
      this.rest.count++;
    }
    if (this.change === null) return this.learn();
    this.change.steps.push({ index, luma: now.slice(0, lumaPixels), size: this.differenceOf(one, now) });
    if (time - this.change.start > longestChange) this.change = null;
    else if (this.isStill(time)) this.close(now);
  }

  /** Takes the previous picture as a still page. */
  private hold(page: Uint8Array): void {
    if (this.change !== null) this.close(page);
    this.stillFrom = Number.NEGATIVE_INFINITY;
    this.rest = { sum: 0, count: 0 };
  }

  private learn(): void {
    for (let block = 0; block < blocks; block++) this.movement[block] = busy.keep * this.movement[block]! + (1 - busy.keep) * Number(this.laggedSums[block]! > moves * blockPixels);
  }

  private isBusy(block: number): boolean {
    return this.movement[block]! > busy.share;
  }

  /** Returns the share of the blocks that move, the share of those that did not move before, and the mean difference of the other blocks from the previous picture. */
  private compare(now: Uint8Array, one: Uint8Array, two: Uint8Array): { moving: number; fresh: number; rest: number } {
    this.sums.fill(0);
    this.laggedSums.fill(0);
    for (let at = 0; at < lumaPixels; at++) {
      const block = blockOf[at]!;
      const step = now[at]! - one[at]!;
      const lagged = now[at]! - two[at]!;
      this.sums[block]! += step < 0 ? -step : step;
      this.laggedSums[block]! += lagged < 0 ? -lagged : lagged;
    }
    let [moving, fresh, sum] = [0, 0, 0];
    for (let block = 0; block < blocks; block++) {
      if (this.laggedSums[block]! > moves * blockPixels) {
        moving++;
        if (!this.isBusy(block)) fresh++;
      } else sum += this.sums[block]!;
    }
    return { moving: moving / blocks, fresh: fresh / blocks, rest: sum / Math.max(1, (blocks - moving) * blockPixels) };
  }

  private isStill(time: number): boolean {
    return time - this.stillFrom >= stillSeconds && this.rest.sum <= noise * this.rest.count;
  }

  /** Ends the change at a still page. */
  private close(now: Uint8Array): void {
    const { before, start, steps } = this.change!;
    const replaced = this.replacedShare(before, now);
    const largest = steps.reduce((best, step) => (step.size > best.size ? step : best));
    const difference = this.differenceOf(before, now);
    const left = steps.map(({ luma }) => this.differenceOf(luma, now) / difference);
    const done = left.findIndex((share, place) => share <= reached || (share <= settled && share - (left[place + 2] ?? 0) < unchanged));
    const known = this.found.length;
    if (replaced >= pageShare) {
      if (largest.size >= suddenShare * difference) this.found.push({ from: largest.index, to: largest.index, sudden: true });
      else if (done >= 2 && this.isMixture(before, steps[done >> 1]!.luma, now)) this.found.push({ from: steps[0]!.index, to: steps[done]!.index, sudden: false });
    }
    if (this.found.length > known) this.times.push(start);
    this.change = null;
  }

  /** Share of the compared blocks that show something else. */
  private replacedShare(before: Uint8Array, now: Uint8Array): number {
    let [replaced, compared] = [0, 0];
    for (let block = 0; block < blocks; block++) {
      if (this.isBusy(block)) continue;
      compared++;
      if (showsOther(before, now, block)) replaced++;
    }
    return compared === 0 ? 0 : replaced / compared;
  }

  private differenceOf(before: Uint8Array, now: Uint8Array): number {
    let sum = 0;
    for (let at = 0; at < lumaPixels; at++) if (!this.isBusy(blockOf[at]!)) sum += Math.abs(now[at]! - before[at]!);
    return sum;
  }

  private isMixture(before: Uint8Array, middle: Uint8Array, after: Uint8Array): boolean {
    let [products, squares] = [0, 0];
    for (let at = 0; at < lumaPixels; at++) {
      if (this.isBusy(blockOf[at]!)) continue;
      const step = after[at]! - before[at]!;
      products += (middle[at]! - before[at]!) * step;
      squares += step * step;
    }
    const share = products / Math.max(1, squares);
    let [rest, change] = [0, 0];
    for (let at = 0; at < lumaPixels; at++) {
      if (this.isBusy(blockOf[at]!)) continue;
      const step = after[at]! - before[at]!;
      rest += Math.abs(middle[at]! - before[at]! - share * step);
      change += Math.abs(step);
    }
    return share > 0.1 && share < 0.9 && rest <= mixtureRest * change;
  }
}
