import { analysisWidth, layoutStep } from './frameTrack.ts';
import { blockPixels, blocks, blockSize, firstPixel, hasGround, hasPattern, pageShare, showsOther } from './pageBlocks.ts';
import { lumaPixels } from './pictureSketch.ts';

/** Half seconds from the first to the last picture of a page: 1.5 s. Between shorter stops, somebody scrolls. */
const fewest = 3;
/** A block is busy if in this share of the last half seconds it showed something else than before; `keep` is the share of the average that one half second leaves. */
const busy = { share: 0.4, keep: 0.8 } as const;
/** A page is still if at most this share of its blocks is busy. */
const busyShare = 0.3;
/** Largest mean difference of the blocks that are not busy and show the same, levels of grey. */
const noise = 0.5;
/** A block whose mean difference is larger shows something else or has another light, levels of grey. */
const other = 4;
/**
 * Smallest share of the blocks with a pattern that show something else on another page: of two slides with a title and one line each, a sixth
 * of all blocks differs, but more than half of those with a pattern.
 */
const patternShare = 0.25;
/** A page is kept in another state, such as with one more line, if this share of its blocks with a pattern shows something else. */
const stateShare = 0.1;
/** Most states to compare with: a recording of three hours whose text scrolls has thousands, a comparison takes about 20 µs. */
const mostStates = 256;

/** A page in one of its states. */
interface PageState {
  page: number;
  luma: Uint8Array;
  /** 1 for each block that is not busy while the page is shown. */
  still: Uint8Array;
}

/** Half seconds that show one page, from the first one to the last one that has a picture of its own. */
interface Run {
  from: number;
  to: number;
  first: Uint8Array;
  last: Uint8Array;
}

/**
 * Numbers the still pages of a video, such as slides, documents and windows of an editor. Layouts do not tell two slides on one template
 * apart, so pictures are compared in blocks, by pattern, once in half a second. A page that is shown again has the same number, and a line
 * that is added to a page does not change its number. Only pages of which several pictures are known count: one key frame that stands for a
 * part of a film is no page.
 */
export class PageSampler {
  private readonly pages: number[] = [];
  private readonly states: PageState[] = [];
  private known = 0;
  /** Average of how often each block showed something else. */
  private readonly movement = new Float32Array(blocks);
  private run: Run | null = null;
  private shown: { time: number; luma: Uint8Array } | null = null;
  private sampled: { time: number; luma: Uint8Array } | null = null;

  /** Adds the next picture. `data` must stay unchanged until the next call. */
  add(time: number, data: Uint8Array): void {
    while (this.pages.length * layoutStep < time) this.sample(this.shown ?? { time, luma: data });
    this.shown = { time, luma: data };
  }

  /** Numbers of the pages at 0, 0.5, 1, … seconds, up to the last picture; 0 where no page is still. */
  finish(): Uint32Array {
    if (this.shown !== null) while (this.pages.length * layoutStep <= this.shown.time) this.sample(this.shown);
    this.close();
    return Uint32Array.from(this.pages);
  }

  private sample({ time, luma }: { time: number; luma: Uint8Array }): void {
    if (time !== this.sampled?.time) this.compare(time, luma.slice(0, lumaPixels));
    else for (let block = 0; block < blocks; block++) this.movement[block]! *= busy.keep;
    this.pages.push(0);
  }

  /** Continues the page if the new picture shows it, and otherwise begins another page. */
  private compare(time: number, luma: Uint8Array): void {
    const same = this.sampled !== null && this.continues(this.sampled.luma, luma);
    this.sampled = { time, luma };
    if (same && this.run !== null) {
      this.run.to = this.pages.length;
      this.run.last = luma;
      return;
    }
    this.close();
    this.run = hasGround(luma) ? { from: this.pages.length, to: this.pages.length, first: luma, last: luma } : null;
  }

  /** Whether a picture shows the same page as the one before, except for less than `pageShare` of its blocks. */
  private continues(before: Uint8Array, now: Uint8Array): boolean {
    let [others, compared, difference] = [0, 0, 0];
    for (let block = 0; block < blocks; block++) {
      const step = differenceIn(before, now, block);
      const changed = step > other || showsOther(before, now, block);
      this.movement[block] = busy.keep * this.movement[block]! + (1 - busy.keep) * Number(changed);
      if (this.movement[block]! > busy.share) continue;
      compared++;
      if (changed) others++;
      else difference += step;
    }
    return compared >= (1 - busyShare) * blocks && others < pageShare * compared && difference <= noise * (compared - others);
  }

  /** Ends the page, and gives its number to the half seconds that show it. */
  private close(): void {
    const { run } = this;
    this.run = null;
    if (run === null || run.to - run.from < fewest) return;
    const still = Uint8Array.from(this.movement, (share) => Number(share <= busy.share));
    const page = this.numberOf(run.first, still) ?? this.numberOf(run.last, still) ?? ++this.known;
    for (const luma of [run.first, run.last]) this.keep({ page, luma, still });
    this.pages.fill(page, run.from);
  }

  /** Number of the known page that a picture shows. */
  private numberOf(luma: Uint8Array, still: Uint8Array): number | undefined {
    let [found, least]: [number | undefined, number] = [undefined, patternShare];
    for (const state of this.states) {
      const share = othersIn(state, luma, still);
      if (share < least) [found, least] = [state.page, share];
    }
    return found;
  }

  /** Keeps a state of a page unless it is known. */
  private keep(state: PageState): void {
    if (this.states.some((known) => known.page === state.page && othersIn(known, state.luma, state.still) < stateShare)) return;
    this.states.push(state);
    if (this.states.length > mostStates) this.states.shift();
  }
}

/** Share of the blocks with a pattern, still in both, that show something else. */
function othersIn(state: PageState, luma: Uint8Array, still: Uint8Array): number {
  let [others, patterns] = [0, 0];
  for (let block = 0; block < blocks; block++) {
    if (still[block] === 0 || state.still[block] === 0) continue;
    if (hasPattern(state.luma, block) || hasPattern(luma, block)) patterns++;
    if (showsOther(state.luma, luma, block)) others++;
  }
  return others / Math.max(1, patterns);
}

/** Mean absolute difference of a block, levels of grey. */
function differenceIn(before: Uint8Array, now: Uint8Array, block: number): number {
  const start = firstPixel(block);
  let sum = 0;
  for (let row = 0; row < blockSize; row++) {
    for (let at = start + row * analysisWidth; at < start + row * analysisWidth + blockSize; at++) sum += Math.abs(now[at]! - before[at]!);
  }
  return sum / blockPixels;
}
