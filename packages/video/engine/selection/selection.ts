import type { Warning } from '../analysis/analysis.ts';

/**
 * Why a segment was selected. `share` (0–1) is the part of the score that would disappear without this reason; the shares of a
 * segment add up to at most 1. `at` is the presentation time of the highest value of the term, in seconds.
 */
export type SegmentReason =
  | { kind: 'motion' | 'sound' | 'speech' | 'novelty'; share: number; at: number; value: number }
  /** The segment shows something that no other selected segment shows; `value` is its novelty, 0–1. */
  | { kind: 'diversity'; share: number; value: number }
  /** The most informative subtitle line of the segment. */
  | { kind: 'text'; share: number; text: string }
  /** The subtitle line that matches the caller's query best; it is in the segment or up to 2 s from it. */
  | { kind: 'query'; share: number; at: number; text: string }
  /**
   * The video shows the scene again at the times `also`, seconds; `shown` is how often the preview shows it. The reason states a
   * fact and does not contribute to the score, so `share` is 0.
   */
  | { kind: 'repeat'; share: number; shown: number; also: readonly number[] }
  /** The caller included the segment with `include_ranges`. */
  | { kind: 'included'; share: number }
  /** The video is not longer than the requested preview, so the preview shows everything that the options do not exclude. */
  | { kind: 'whole'; share: number };

export interface Segment {
  /** Presentation time of the first frame, seconds. */
  start: number;
  /** Presentation time of the first frame after the segment, or the end of the video, seconds. */
  end: number;
  /** Weighted mean of importance and novelty, 0–1; 1 for an included segment or a preview of the whole video. */
  score: number;
  reasons: readonly SegmentReason[];
  title: string | null;
  text: string | null;
}

/** A moment of high importance that the preview does not show, with the cause. */
export interface RejectedSegment {
  start: number;
  end: number;
  score: number;
  why: 'black' | 'white' | 'bars' | 'title' | 'credits' | 'static' | 'dim' | 'blurred' | 'damaged' | 'excluded' | 'similar' | 'budget' | 'too-short' | 'speech' | 'cuts';
  /** A sentence that states the cause with its values. */
  detail: string;
}

export interface Selection {
  /** The segments in the order in which the preview plays them. */
  segments: readonly Segment[];
  /** The most important moments that the preview does not show, highest score first, at most 20. */
  rejected: readonly RejectedSegment[];
  /** Importance and its terms, 0–1, one value per `step` seconds from 0. `step` is 0.5 s. */
  curve: { step: number; importance: Float32Array; motion: Float32Array; sound: Float32Array; speech: Float32Array; novelty: Float32Array };
  warnings: readonly Warning[];
}
