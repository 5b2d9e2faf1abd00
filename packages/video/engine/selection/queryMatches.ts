import { timelineStep } from '../analysis/timeline.ts';
import { cellOf } from '../timeline/measureMotion.ts';
import { overlapOf, type Range } from './range.ts';
import { readWords } from './readWords.ts';
import type { Cue } from './subtitles.ts';
import { oneLine } from './subtitleText.ts';

/** A subtitle that matches the query, its text on one line, with its score relative to the best match, 0–1. */
export interface Match extends Cue {
  weight: number;
}

/** Usual parameters of BM25: saturation of repeated words, and the influence of the length of a line. */
const k1 = 1.2;
const b = 0.75;
/** Words in more than this share of the subtitles, such as “the”, count only if the query has no rarer word that occurs. */
const commonShare = 0.1;
/** Time before and after a matching subtitle that is about the same thing, seconds. */
const around = 2;
/** Shorter words, such as “a”, do not count, characters. */
const shortestWord = 2;
/** Words are the same if one begins the other and the rest is at most two letters: goal, goals. */
const shortestStem = 4;
const longestEnding = 2;

/**
 * Ranks the subtitles by a query: Okapi BM25 (Robertson and Zaragoza, 2009) with each subtitle as a document.
 * @returns the subtitles that contain a word of the query, in ascending order of start time
 */
export function matchQuery(cues: readonly Cue[], query: string): Match[] {
  const terms = [...new Set(readWords(query, shortestWord))];
  const lines = cues.map(({ text }) => readWords(text, shortestWord));
  const counts = terms.map((term) => lines.map((line) => line.filter((word) => isSame(word, term)).length));
  const spread = counts.map((each) => each.filter((count) => count > 0).length);
  const rare = terms.map((_, term) => spread[term]! > 0 && spread[term]! <= Math.max(1, commonShare * cues.length));
  const mean = lines.reduce((sum, line) => sum + line.length, 0) / Math.max(1, lines.length);
  const scores = lines.map((line, index) => terms.reduce((sum, _, term) => {
    const count = counts[term]![index]!;
    if (count === 0 || (rare.includes(true) && !rare[term]!)) return sum;
    const idf = Math.log(1 + (cues.length - spread[term]! + 0.5) / (spread[term]! + 0.5));
    return sum + (idf * count * (k1 + 1)) / (count + k1 * (1 - b + (b * line.length) / mean));
  }, 0));
  const best = Math.max(0, ...scores);
  return cues.flatMap((cue, index) => (scores[index]! > 0 ? [{ ...cue, text: oneLine(cue.text), weight: scores[index]! / best }] : []));
}

/** Highest weight of a match in each cell and up to 2 s around the match, 0–1. */
export function queryTerm(matches: readonly Match[], cells: number): Float32Array {
  const term = new Float32Array(cells);
  for (const { start, end, weight } of matches) {
    if (start >= cells * timelineStep) continue;
    for (let cell = cellOf(Math.max(0, start - around), cells); cell <= cellOf(end + around - 1e-6, cells); cell++) term[cell] = Math.max(term[cell]!, weight);
  }
  return term;
}

/** The best match in a segment or up to 2 s around it; null if there is none. */
export function bestMatch(matches: readonly Match[], { start, end }: Range): Match | null {
  const near = { start: start - around, end: end + around };
  return matches.reduce<Match | null>((best, match) => (overlapOf(match, near) > 0 && match.weight > (best?.weight ?? 0) ? match : best), null);
}

function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= shortestStem && long.length - short.length <= longestEnding && long.startsWith(short);
}
