import type { Warning } from '../analysis/analysis.ts';
import type { FileKind } from '../options/outputs.ts';
import type { Framing } from '../report/shapedPreviews.ts';
import type { PosterChoice } from '../report/posterFigures.ts';
import type { EncodedPiece } from './keepPiece.ts';

/** An output file of a rendering. */
export interface RenderedFile {
  kind: FileKind;
  /** Path of the finished file. */
  path: string;
  contentType: string;
  /** Size in pixels, for pictures and videos. */
  width?: number;
  height?: number;
  /** Requested aspect ratio, such as `9:16`; absent if the options name none. */
  aspectRatio?: string;
  /** Absent if the file has the aspect ratio of the video and the options name none. */
  framing?: Framing;
  /** Duration in seconds, for videos and animations. */
  duration?: number;
  /** Presentation time in the source of the picture that a key frame or poster shows, seconds. */
  time?: number;
  /** Why the picture was chosen, for posters and candidates. */
  choice?: PosterChoice;
}

/** Result of one rendering. */
export interface Rendering {
  files: readonly RenderedFile[];
  /** Encoded pieces that a later run with the same segments reuses. */
  pieces: readonly EncodedPiece[];
  /** Start and duration of each segment in the preview, seconds; in the order of the selection. */
  parts: readonly { at: number; duration: number }[];
  warnings: readonly Warning[];
}
