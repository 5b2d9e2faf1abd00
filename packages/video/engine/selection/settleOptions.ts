import { defaultWeights } from '../options/defaultWeights.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import { mergeRanges, type Range } from './range.ts';

/** Maximum deviation of the preview's length from the requested length, seconds. */
export const budgetTolerance = 0.5;

/** Options with every default filled in, for one video. */
export interface SettledOptions {
  /** Requested length of the preview, or the default length, seconds. */
  target: number;
  /** Whether the caller set the length, by `duration` or `ratio`. */
  targetGiven: boolean;
  minSegmentSeconds: number;
  maxSegmentSeconds: number;
  /** Whether the caller set `max_segment_duration`. */
  maxSegmentGiven: boolean;
  maxSegments: number;
  /** Ranges that the caller includes, merged and cut at the end of the video. */
  includes: readonly Range[];
  /** Ranges that the caller excludes, together with `exclude_start` and `exclude_end`; merged. */
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

/** Fills in the defaults of all omitted options. `duration` is the length of the video in seconds. */
export function settleOptions(options: SummaryOptions, duration: number): SettledOptions {
  const target = options.ratio !== undefined && options.duration === undefined ? options.ratio * duration : (options.duration ?? defaultDuration);
  const maxSegments = options.max_segments ?? Number.MAX_SAFE_INTEGER;
  // At most half of the longest length: few pairs of boundaries are exactly one given length apart.
  const minSegmentSeconds = options.min_segment_duration ?? Math.min(defaultMinSegmentSeconds, target, (options.max_segment_duration ?? Infinity) / 2);
  // If the caller limits the number of segments, a long preview needs longer segments.
  const requested = options.max_segment_duration ?? Math.max(minSegmentSeconds * 1.5, defaultMaxSegmentSeconds, (1.25 * target) / maxSegments);
  const maxSegmentSeconds = Math.max(minSegmentSeconds, Math.min(requested, target + budgetTolerance));
  const edges = [
    { start: 0, end: edgeSeconds(options.exclude_start, duration) },
    { start: duration - edgeSeconds(options.exclude_end, duration), end: duration + 1 },
  ].filter((range) => range.end > range.start && range.start < duration);
  return {
    target,
    targetGiven: options.duration !== undefined || options.ratio !== undefined,
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

/** The length that a preview should have, in words that tell whether the caller asked for it. */
export function lengthName({ target, targetGiven }: SettledOptions): string {
  return `the ${targetGiven ? 'requested' : 'default'} ${target.toFixed(1)} s`;
}

/**
 * Converts `exclude_start` or `exclude_end` to seconds: a number is in seconds, a string such as "5%" is a share of
 * `duration`.
 */
export function edgeSeconds(edge: number | string | undefined, duration: number): number {
  if (edge === undefined) return 0;
  return typeof edge === 'number' ? edge : (Number(edge.slice(0, -1)) / 100) * duration;
}
