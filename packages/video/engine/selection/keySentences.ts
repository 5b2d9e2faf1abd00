import { cellOf } from '../timeline/measureMotion.ts';
import { timelineStep } from '../analysis/timeline.ts';
import { overlapOf, type Range } from './range.ts';
import { readWords } from './readWords.ts';
import type { Cue } from './subtitles.ts';
import { firstCharacters, oneLine } from './subtitleText.ts';

/** A subtitle with its informativeness relative to all subtitles of the video, 0–1. */
export interface RatedCue extends Cue {
  weight: number;
}

/** Maximum length of a title, characters. */
const titleLength = 60;
/** Subtitles in the lower 60 % of the ranking are ordinary and get weight 0. */
const ordinary = 0.6;

/**
 * Rates each subtitle by the rarity of its words in the video: the mean inverse document frequency of the words, reduced for
 * lines of fewer than four words. The weight is the rank among all subtitles, scaled to 0–1.
 */
export function rateCues(cues: readonly Cue[]): RatedCue[] {
  const words = cues.map(({ text }) => [...new Set(readWords(text, 3))]);
  const lines = new Map<string, number>();
  for (const word of words.flat()) lines.set(word, (lines.get(word) ?? 0) + 1);
  const rarity = words.map((line) => {
    const sum = line.reduce((total, word) => total + Math.log(cues.length / lines.get(word)!), 0);
    return line.length === 0 ? 0 : (sum / line.length) * Math.min(1, line.length / 4);
  });
  const order = [...rarity.keys()].sort((a, b) => rarity[a]! - rarity[b]! || a - b);
  const rank = new Float64Array(cues.length);
  for (const [place, index] of order.entries()) rank[index] = (place + 1) / cues.length;
  return cues.map((cue, index) => ({ ...cue, weight: rarity[index]! > 0 ? Math.max(0, (rank[index]! - ordinary) / (1 - ordinary)) : 0 }));
}

/** Highest subtitle weight in each cell, 0–1; `cells` is the number of cells. */
export function textTerm(cues: readonly RatedCue[], cells: number): Float32Array {
  const term = new Float32Array(cells);
  for (const { start, end, weight } of cues) {
    if (weight === 0 || start >= cells * timelineStep) continue;
    for (let cell = cellOf(start, cells); cell <= cellOf(end - 1e-6, cells); cell++) term[cell] = Math.max(term[cell]!, weight);
  }
  return term;
}

/** Text of the most informative subtitle that has at least half of its duration in the segment; null if there is none. */
export function keySentence(cues: readonly RatedCue[], segment: Range): string | null {
  let best: RatedCue | null = null;
  for (const cue of cues) {
    if (cue.start >= segment.end) break;
    if (overlapOf(cue, segment) < 0.5 * (cue.end - cue.start)) continue;
    if (best === null || cue.weight > best.weight || (cue.weight === best.weight && cue.text.length > best.text.length)) best = cue;
  }
  return best === null ? null : oneLine(best.text);
}

/** Shortens a sentence to a title of at most 60 characters, preferably at a word boundary. */
export function titleOf(sentence: string): string {
  if (sentence.length <= titleLength) return sentence;
  const cut = sentence.lastIndexOf(' ', titleLength - 1);
  return `${firstCharacters(sentence, cut > titleLength / 2 ? cut : titleLength - 1)}…`;
}
