import type { Analysis, Warning } from '../analysis/analysis.ts';
import type { MediaBackend } from '../media/mediaBackend.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import type { RequestedOutput } from '../options/outputs.ts';
import type { Selection } from '../selection/selection.ts';
import type { Cue } from '../selection/subtitles.ts';
import type { Source } from './encodePieces.ts';
import type { Size } from './framing/fitSize.ts';
import type { CropTrack } from './framing/followMotion.ts';
import type { FrameShape } from './framing/frameShape.ts';
import type { EncodedPiece } from './keepPiece.ts';
import type { PreviewPlan } from './previewPlan.ts';
import type { RenderedFile, Rendering } from './rendering.ts';
import type { TakenPicture } from './takePictures.ts';

export type RenderOptions = Pick<SummaryOptions, 'outputs' | 'width' | 'height' | 'aspect_ratios' | 'framing' | 'fps' | 'audio' | 'crossfade' | 'burn_captions'>;

export interface RenderRequest {
  backend: MediaBackend;
  /** Path of the source, and its SHA-256 in hex. */
  source: { path: string; hash: string };
  analysis: Analysis;
  selection: Selection;
  options: RenderOptions;
  /** Subtitles of the video, for captions. */
  cues: readonly Cue[];
  /** An empty folder for the outputs. Temporary files in it are removed. */
  folder: string;
  /** Folder of encoded pieces, which later runs reuse. */
  pieces: string;
  /** Name of the media in the report and in edit lists. */
  title: string;
  /** Also renders report.html, with these warnings of the download and of the subtitles; null for no report. */
  report: { warnings: readonly Warning[] } | null;
  /** Receives the progress, 0–1; never decreases. */
  progress(share: number): void;
  signal: AbortSignal;
}

/** One task of a rendering, with its duration relative to encoding one frame of H.264. */
export interface Task {
  weight: number;
  run(progress: (share: number) => void, done: Rendering): Promise<{ files: RenderedFile[]; pieces?: readonly EncodedPiece[]; warnings?: readonly Warning[] }>;
}

export interface Setting {
  request: RenderRequest;
  source: Source;
  wanted: ReadonlySet<RequestedOutput>;
  plan: PreviewPlan;
  /** Shapes of the previews and of the poster, at least one. */
  shapes: readonly FrameShape[];
  /** Positions of the crop of each shape with the mode `crop`, filled by the first task. */
  tracks: Map<FrameShape, CropTrack>;
  /** Size of the pictures that keep the aspect ratio of the video: key frames, and candidates for the poster. */
  size: Size;
  duration: number;
  /** Small pictures of the segments for the report, filled when the key pictures are taken. */
  small: Map<number, TakenPicture>;
}
