import type { Shot } from '../shots/shot.ts';

/** Seconds between two values of the timeline. */
export const timelineStep = 0.5;

/** A technical part of the video that does not belong in a preview, start ≤ time < end, seconds. */
export interface TechnicalCue {
  kind: CueKind;
  start: number;
  end: number;
}

/**
 * `slate`: a clapperboard, a countdown or a card before the film; `static`: a still picture in silence; `dim`: nearly black
 * compared with the rest of the video; `blurred`: nothing is in focus.
 */
export type CueKind = 'black' | 'white' | 'bars' | 'title' | 'credits' | 'slate' | 'static' | 'dim' | 'blurred' | 'damaged';

/** Suitability of a boundary as start or end of a segment; lower is better. */
export const boundaryGrade = {
  /** A shot starts or ends here, without speech. */
  shot: 0,
  /** Within a shot, in silence: no sound, or far below the loudness nearby. */
  silence: 1,
  /** Within a shot, without speech but not silent: during music or noise. */
  quiet: 2,
  /** A shot starts or ends here during speech. */
  shotInSpeech: 3,
  /** Within a shot, during speech. */
  speech: 4,
} as const;

/** Whether a segment may start or end at a boundary. */
export const permission = {
  never: 0,
  always: 1,
  /** The segment would show less than 1 s of a shot before or after a cut: only if the preview has no other way to its length. */
  nearCut: 2,
} as const;

/** Times at which a segment may start or end, ascending; each array has one entry per time. */
export interface Boundaries {
  /** Presentation times of frames, or the end of the video, seconds. */
  times: Float64Array;
  /** Values of `boundaryGrade`. */
  grades: Uint8Array;
  /** Length of the pause in speech around the time, seconds; 0 within speech. */
  pauses: Float32Array;
  /** How far the sound is below the loud parts of the video, dB. */
  depths: Float32Array;
  /** Values of `permission`. A segment must not start at the end of a shot that dissolves into the next one. */
  starts: Uint8Array;
  /** Values of `permission`. */
  ends: Uint8Array;
}

/** Consecutive cells that show the same content: a shot, or a part of a long shot between two change points. */
export interface Pieces {
  /** First cell of each piece, ascending; the last entry is the number of cells. */
  cells: Uint32Array;
  /** Index of the shot of each piece. */
  shots: Uint32Array;
  /** Mean layout of each piece, `layoutLength` values each, 0–255. */
  layouts: Float32Array;
  /** Number of the still page that each piece shows, as in `FrameTrack`; 0 for other pieces. */
  pages: Uint32Array;
}

/** Everything about importance that does not depend on the options; computed once per analysis. */
export interface Timeline {
  /** Number of cells of `timelineStep` seconds, starting at 0; the last cell may be shorter. */
  cells: number;
  /** Terms of the importance, 0–1, one value per cell. */
  motion: Float32Array;
  sound: Float32Array;
  speech: Float32Array;
  novelty: Float32Array;
  /** Technical cues, ascending by start; cues of different kinds may overlap. */
  cues: readonly TechnicalCue[];
  boundaries: Boundaries;
  pieces: Pieces;
  /** For each shot, the time since the first shot that looks and sounds the same, seconds; 0 for a first occurrence. */
  repeats: Float64Array;
  /** The shots that `repeats` refers to, where they are not the shots of the analysis. */
  repeatShots?: readonly Shot[];
}
