import { defaultWeights } from '../options/defaultWeights.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import { mergeRanges, type Range } from './range.ts';

/** How far the preview's length may be from the wish, seconds. */
export const budgetTolerance = 0.5;

/** Options with every default filled in, for one video. */
export interface SettledOptions {
  /** Wished length of the preview, seconds. */
  target: number;
  least: number;
  most: number;
  /** Whether the caller named the longest segment. */
  mostGiven: boolean;
  mostSegments: number;
  /** Merged, within the video. */
  includes: readonly Range[];
  /** What the caller left out: ranges, beginning and end; merged. */
  excludes: readonly Range[];
  skipCredits: boolean;
  keepSpeech: boolean;
  order: 'chronological' | 'importance';
  diversity: number;
  weights: { motion: number; sound: number; speech: number };
  crossfade: number;
  seed: number;
}

const defaultDuration = 30;
const defaultLeast = 1.5;
const defaultMost = 8;

/** Fills in what the options leave open. */
export function settleOptions(options: SummaryOptions, duration: number): SettledOptions {
  const target = options.ratio !== undefined && options.duration === undefined ? options.ratio * duration : (options.duration ?? defaultDuration);
  const mostSegments = options.max_segments ?? Number.MAX_SAFE_INTEGER;
  // At most half of the longest: where all lengths had to be the same, hardly two boundaries would lie as far apart.
  const least = options.min_segment_duration ?? Math.min(defaultLeast, target, (options.max_segment_duration ?? Infinity) / 2);
  // Few segments for a long preview have to be longer than usual.
  const wished = options.max_segment_duration ?? Math.max(least * 1.5, defaultMost, (1.25 * target) / mostSegments);
  const most = Math.max(least, Math.min(wished, target + budgetTolerance));
  const edges = [
    { start: 0, end: edgeSeconds(options.exclude_start, duration) },
    { start: duration - edgeSeconds(options.exclude_end, duration), end: duration + 1 },
  ].filter((range) => range.end > range.start && range.start < duration);
  return {
    target,
    least,
    most,
    mostGiven: options.max_segment_duration !== undefined,
    mostSegments,
    includes: mergeRanges((options.include_ranges ?? []).map(({ start, end }) => ({ start, end: Math.min(end, duration) }))),
    excludes: mergeRanges([...(options.exclude_ranges ?? []), ...edges]),
    skipCredits: options.skip_credits ?? true,
    keepSpeech: options.keep_speech_whole ?? true,
    order: options.order ?? 'chronological',
    diversity: options.diversity ?? 0.5,
    weights: { ...defaultWeights, ...options.weights },
    crossfade: options.crossfade ?? 0,
    seed: options.seed ?? 1,
  };
}

/** Seconds of an edge given as seconds or as a share such as "5%". */
export function edgeSeconds(edge: number | string | undefined, duration: number): number {
  if (edge === undefined) return 0;
  return typeof edge === 'number' ? edge : (Number(edge.slice(0, -1)) / 100) * duration;
}
