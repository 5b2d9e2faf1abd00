import { mediaErrors } from '../../engine/mediaErrors.ts';
import type { Problem } from '@vouch/platform/errors/problem';

/** A file, or a range of its bytes, that a playlist names. */
export interface Part {
  url: string;
  /** Null for the whole file. */
  range: { from: number; length: number } | null;
}

/** The parts of one track in the order in which they make one file: initialization first, then the segments. */
export interface Track {
  parts: readonly Part[];
  /** Length by the playlist, seconds. */
  seconds: number;
}

/** One of the sizes in which a playlist offers a video. */
export interface Variant {
  /** Bits per second; 0 if unknown. */
  bandwidth: number;
  /** Pixels; 0 if unknown. */
  width: number;
  height: number;
}

/** The tracks of a recording. */
export interface Recording {
  /** Contains the sound too, if `audio` is null. */
  video: Track;
  audio: Track | null;
  chosen: Variant;
  /** Number of variants that the playlist offers. */
  offered: number;
}

/** Checks an address and returns it as a complete URL. */
export type Resolve = (address: string, base: string, place: string) => string;

/** Largest number of parts of one track; a segment every two seconds makes 11 hours. */
export const maxParts = 20_000;

/** Longest URL in a playlist, characters; a template could make 20,000 addresses of several MB. */
export const maxAddress = 4096;

/** Parses a number of at most 15 digits; null for any other text. */
export function countOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The problem of a playlist that is not supported. @param what predicate, e.g. `is encrypted` */
export function playlistProblem(what: string): Problem {
  return mediaErrors.problem('playlist-refused', `The playlist of media_url ${what}. Use the playlist of a complete, unencrypted recording, or one media file.`);
}
