/** Seconds between two values of the timeline. */
export const timelineStep = 0.5;

/** Something technical that nobody wants in a preview, start ≤ time < end, seconds. */
export interface TechnicalCue {
  kind: CueKind;
  start: number;
  end: number;
}

/** `slate`: a clapper, a countdown or a card before the film; `static`: a picture that stands still in silence. */
export type CueKind = 'black' | 'bars' | 'title' | 'credits' | 'slate' | 'static';

/** How well the preview may begin or end at a place; a lower number is better. */
export const boundaryGrade = {
  /** A shot begins or ends here and nobody speaks. */
  shot: 0,
  /** Inside a shot, in silence: a file without sound, or far below the loudness around. */
  silence: 1,
  /** Inside a shot, where nobody speaks, but not silent: under music or noise. */
  quiet: 2,
  /** A shot begins or ends here, but a voice goes on. */
  shotInSpeech: 3,
  /** Inside a shot while a voice speaks. */
  speech: 4,
} as const;

/** Places where a segment may begin or end, ascending by time. One entry per place. */
export interface Boundaries {
  /** Presentation times of real frames, or the end of the video. */
  times: Float64Array;
  /** One of `boundaryGrade`. */
  grades: Uint8Array;
  /** Length of the pause around the place, seconds; 0 without one. */
  pauses: Float32Array;
  /** How far the sound lies below the loud parts of the video, dB. */
  depths: Float32Array;
  /** 1 where a segment may begin (not: the end of a shot that dissolves), 1 where it may end. */
  starts: Uint8Array;
  ends: Uint8Array;
}

/** A run of cells that shows one thing: a shot, or a part of a long shot between two change points. */
export interface Pieces {
  /** First cell of each piece, ascending, and at the end the number of cells. */
  cells: Uint32Array;
  /** Number of the shot that each piece lies in. */
  shots: Uint32Array;
  /** Mean picture of each piece, `layoutLength` values each, 0–255. */
  layouts: Float32Array;
}

/** Everything about importance that no option changes; computed once per analysis. */
export interface Timeline {
  /** Number of cells of `timelineStep` seconds from 0; the last one may be shorter. */
  cells: number;
  /** Terms of the importance, 0–1 per cell. */
  motion: Float32Array;
  sound: Float32Array;
  speech: Float32Array;
  novelty: Float32Array;
  /** Ascending by start; cues of different kinds may overlap. */
  cues: readonly TechnicalCue[];
  boundaries: Boundaries;
  pieces: Pieces;
}
