import type { Tier, Warning } from '../analysis/analysis.ts';
import type { MediaInfo } from '../media/mediaInfo.ts';
import type { MediaLimits } from '../media/mediaBackend.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import type { EncodedPiece } from '../render/keepPiece.ts';
import type { RenderedFile } from '../render/rendering.ts';
import type { RejectedSegment, Segment } from '../selection/selection.ts';
import type { Cue } from '../selection/subtitles.ts';

/** Set-up of the engine; the first message to its process. */
export interface EngineSetup {
  /** Path of an ffmpeg, `none` for the libraries from npm, or null to use what is installed. */
  ffmpegPath: string | null;
  limits: MediaLimits;
  /** Longest video that is accepted, seconds. */
  maxSeconds: number;
}

/** The calls of the engine with their requests and answers. Messages are JSON; large data is passed in files. */
export interface EngineCalls {
  /** Which decoder is in use. */
  backend: { ask: Record<string, never>; answer: { name: 'ffmpeg' | 'node-av'; version: string } };
  /** Reads the facts of a file and rejects a file that cannot be summarized, or options whose outputs cannot be encoded here. */
  probe: { ask: { path: string; options?: SummaryOptions }; answer: MediaInfo };
  /** Joins the pictures of one file and the sound of another without encoding again; false if one of the two cannot be read. */
  join: { ask: { video: string; audio: string; output: string }; answer: { joined: boolean } };
  /** Reads the text subtitles inside a file, and writes them as SubRip to `file`; an empty file for none. */
  subtitles: { ask: { path: string; info: MediaInfo; language: string | null; file: string }; answer: { warnings: readonly Warning[] } };
  /** Decodes the sound from `from` (seconds) for a transcription, at most two minutes, and writes it as WAV; `to`: its end. */
  speech: { ask: { path: string; info: MediaInfo; from: number; file: string }; answer: { to: number } };
  /** Measures pictures and sound and writes the analysis file. */
  analyse: {
    ask: { path: string; info: MediaInfo; tier: Tier | 'auto'; analysisFile: string };
    answer: { tier: Tier; shots: number | null; warnings: readonly Warning[] };
  };
  /** Selects the segments of a preview, and checks their boundaries in the media unless the analysis decoded every frame. */
  select: {
    ask: { path: string; analysisFile: string; options: SummaryOptions; cues: readonly Cue[] };
    answer: { segments: readonly Segment[]; rejected: readonly RejectedSegment[]; warnings: readonly Warning[] };
  };
  /** Renders the output files. Selects the same segments again if the last selection had another request. */
  render: {
    ask: RenderAsk;
    answer: { files: readonly RenderedFile[]; pieces: readonly EncodedPiece[]; warnings: readonly Warning[] };
  };
}

interface RenderAsk {
  path: string;
  /** SHA-256 of the source's content, used in the keys of encoded pieces. */
  sourceHash: string;
  analysisFile: string;
  options: SummaryOptions;
  cues: readonly Cue[];
  /** Folder for the finished files. */
  folder: string;
  /** Folder with pieces from earlier runs, each named by its key; new pieces are added. */
  pieceFolder: string;
  /** Name of the media in the report and in edit lists. */
  title: string;
  /** Also writes report.html, with these warnings of the download and of the subtitles; null for no report. */
  report: { warnings: readonly Warning[] } | null;
}

export type EngineCallName = keyof EngineCalls;

/** Receives the progress of a call, 0–1. */
export type ReportProgress = (fraction: number) => void;

/** Object with one method per call. */
export type EngineAnswers = {
  [Name in EngineCallName]: (ask: EngineCalls[Name]['ask'], progress?: ReportProgress) => Promise<EngineCalls[Name]['answer']>;
};

/** Message from the parent to the child. */
export interface EngineQuestion<Name extends EngineCallName = EngineCallName> {
  id: number;
  call: Name;
  ask: EngineCalls[Name]['ask'];
}

/** Message from the child to the parent. */
export type EngineMessage =
  | { id: number; kind: 'progress'; fraction: number }
  | { id: number; kind: 'answer'; answer: unknown }
  | { id: number; kind: 'problem'; code: string; detail: string }
  | { id: number; kind: 'failure'; message: string };

/**
 * Checks a message from the child.
 * @throws TypeError if the message has another form
 */
export function parseEngineMessage(message: unknown): EngineMessage {
  if (typeof message === 'object' && message !== null && 'id' in message && typeof message.id === 'number' && 'kind' in message) {
    const { id, kind } = message;
    if (kind === 'progress' && 'fraction' in message && typeof message.fraction === 'number') return { id, kind, fraction: message.fraction };
    if (kind === 'answer' && 'answer' in message) return { id, kind, answer: message.answer };
    if (kind === 'problem' && 'code' in message && 'detail' in message) return { id, kind, code: String(message.code), detail: String(message.detail) };
    if (kind === 'failure' && 'message' in message) return { id, kind, message: String(message.message) };
  }
  throw new TypeError('the process of the video engine sent an unknown message');
}
