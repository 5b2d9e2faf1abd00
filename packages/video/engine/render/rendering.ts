import type { Warning } from '../analysis/analysis.ts';
import type { FileKind } from '../options/outputs.ts';
import type { EncodedPiece } from './keepPiece.ts';

/** A file that a run made. */
export interface RenderedFile {
  kind: FileKind;
  /** Path of the finished file. */
  path: string;
  contentType: string;
  /** Pixels, where it is a picture or a video. */
  width?: number;
  height?: number;
  /** Seconds, where it plays. */
  duration?: number;
  /** Which segment or shot a key frame shows, and its time in the source. */
  time?: number;
}

/** Everything that one rendering made. */
export interface Rendering {
  files: readonly RenderedFile[];
  /** What a re-run with the same segments need not encode again. */
  pieces: readonly EncodedPiece[];
  /** Where each segment begins in the preview and how long it lasts there, seconds; in the selection's order. */
  parts: readonly { at: number; duration: number }[];
  warnings: readonly Warning[];
}
