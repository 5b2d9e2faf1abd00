import { defaultWeights } from '../options/defaultWeights.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import { mergeRanges, type Range } from './range.ts';

/** How far the preview's length may be from the requested length, seconds. */
export const budgetTolerance = 0.5;

/** Options with every default filled in, for one video. */
export interface SettledOptions {
  /** Wished length of the preview, seconds. */
  target: number;
  minSegmentSeconds: number;
  maxSegmentSeconds: number;
  /** Whether the caller named the longest segment. */
  maxSegmentGiven: boolean;
  maxSegments: number;
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
const defaultMinSegmentSeconds = 1.5;
const defaultMaxSegmentSeconds = 8;

/** Fills in what the options leave open. */
export function settleOptions(options: SummaryOptions, duration: number): SettledOptions {
  const target = options.ratio !== undefined && options.duration === undefined ? options.ratio * duration : (options.duration ?? defaultDuration);
  const maxSegments = options.max_segments ?? Number.MAX_SAFE_INTEGER;
  // At most half of the longest: where all lengths had to be the same, hardly two boundaries would lie as far apart.
  const minSegmentSeconds = options.min_segment_duration ?? Math.min(defaultMinSegmentSeconds, target, (options.max_segment_duration ?? Infinity) / 2);
  // Few segments for a long preview have to be longer than usual.
  const requested = options.max_segment_duration ?? Math.max(minSegmentSeconds * 1.5, defaultMaxSegmentSeconds, (1.25 * target) / maxSegments);
  const maxSegmentSeconds = Math.max(minSegmentSeconds, Math.min(requested, target + budgetTolerance));
  const edges = [
    { start: 0, end: edgeSeconds(options.exclude_start, duration) },
    { start: duration - edgeSeconds(options.exclude_end, duration), end: duration + 1 },
  ].filter((range) => range.end > range.start && range.start < duration);
  return {
    target,
    minSegmentSeconds,
    maxSegmentSeconds,
    maxSegmentGiven: options.max_segment_duration !== undefined,
    maxSegments,
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
