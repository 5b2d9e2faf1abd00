import type { Warning } from '../analysis/analysis.ts';

/**
 * Why a segment was chosen. `share` is the part of its score that goes when this term is removed, 0–1; the shares of a
 * segment add up to at most 1.
 */
export type SegmentReason =
  | { kind: 'motion' | 'sound' | 'speech' | 'novelty'; share: number; at: number; value: number }
  /** It shows what no other chosen segment shows. */
  | { kind: 'diversity'; share: number; value: number }
  /** A line of the subtitles. */
  | { kind: 'text'; share: number; text: string }
  /** The caller asked for it. */
  | { kind: 'included'; share: number }
  /** The video is not longer than the preview, so all is shown that the options do not leave out. */
  | { kind: 'whole'; share: number };

export interface Segment {
  /** Presentation time of its first frame, seconds. */
  start: number;
  /** Presentation time of the first frame after it, or the end of the video. */
  end: number;
  /** 0–1 over the video. */
  score: number;
  reasons: readonly SegmentReason[];
  title: string | null;
  text: string | null;
}

/** A candidate of high importance that is not in the preview, and why not. */
export interface RejectedSegment {
  start: number;
  end: number;
  score: number;
  why: 'black' | 'bars' | 'title' | 'credits' | 'static' | 'excluded' | 'similar' | 'budget' | 'too-short' | 'speech';
  /** A sentence with the values. */
  detail: string;
}

export interface Selection {
  /** In the order of the preview. */
  segments: readonly Segment[];
  /** The loudest ones that are out, best first, at most 20. */
  rejected: readonly RejectedSegment[];
  /** Importance 0–1 on a grid of half seconds from 0, with its parts. */
  curve: { step: number; importance: Float32Array; motion: Float32Array; sound: Float32Array; speech: Float32Array; novelty: Float32Array };
  warnings: readonly Warning[];
}
