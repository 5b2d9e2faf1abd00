import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import type { Warning } from '../analysis/analysis.ts';
import type { MediaBackend, PictureEncoding } from '../media/mediaBackend.ts';
import { encodePieces, findPieces, type Source } from './encodePieces.ts';
import { shapeSuffix, type FrameShape } from './framing/frameShape.ts';
import { keepPiece, type EncodedPiece } from './keepPiece.ts';
import { mixSound } from './mixSound.ts';
import { previewFormats, type VideoFormat } from './previewFormats.ts';
import { soundRate, type PreviewPlan } from './previewPlan.ts';
import { splitProgress } from './splitProgress.ts';

interface PreviewRequest {
  backend: MediaBackend;
  source: Source;
  plan: PreviewPlan;
  shape: FrameShape;
  format: VideoFormat;
  audio: boolean;
  /** Folder in which encoded pieces are kept. */
  pieces: string;
  /** Folder of the preview and, temporarily, of its sound. */
  folder: string;
  progress(share: number): void;
  signal: AbortSignal;
}

interface RenderedPreview {
  path: string;
  pieces: readonly EncodedPiece[];
  warnings: readonly Warning[];
}

/** Part of the cache key. Increase it when the way a preview is assembled changes, so that old previews are not reused. */
const previewVersion = 1;

/**
 * Renders one preview: encodes the pieces of the picture and the whole sound, and joins them into one file. A preview with the
 * same content is rendered only once.
 */
export async function renderPreview(request: PreviewRequest): Promise<RenderedPreview> {
  const { backend, source, plan, format, folder, audio } = request;
  const { size, scaled, mode } = request.shape;
  const encoding: PictureEncoding = { codec: previewFormats[format].picture, ...size, rate: plan.rate, ...(mode === 'whole' ? {} : { scaled }) };
  const identity = ['preview', previewVersion, backend.name, backend.version, source.hash, encoding, plan, audio];
  const warnings: Warning[] = [];
  let pieces: readonly EncodedPiece[] = [];
  const whole = await keepPiece(request.pieces, identity, `.${previewFormats[format].container}`, async (output) => {
    pieces = await makePreview(request, encoding, output, warnings);
    return warnings.length === 0;
  });
  // This run does not need the pieces, but a later run that shares some of the segments does.
  if (whole.reused) pieces = await findPieces({ backend, source, pieces: plan.pieces, encoding, folder: request.pieces });
  const path = join(folder, previewName(request.shape, previewFormats[format].ending));
  await copyFile(whole.path, path);
  request.progress(1);
  return { path, pieces: [...pieces, whole], warnings };
}

/** File name of a preview, such as `preview.mp4` or `preview-9x16.mp4`. */
export function previewName(shape: Pick<FrameShape, 'aspectRatio'>, ending: string): string {
  return `preview${shapeSuffix(shape)}${ending}`;
}

async function makePreview(request: PreviewRequest, encoding: PictureEncoding, output: string, warnings: Warning[]): Promise<readonly EncodedPiece[]> {
  const { backend, source, plan, format, folder, signal } = request;
  const [encoded, mixed, joined] = splitProgress([1, 0.1, 0.02], request.progress) as [Tell, Tell, Tell];
  const pieces = await encodePieces({
    backend, source, pieces: plan.pieces, encoding, folder: request.pieces, signal, progress: (frames) => encoded(frames / plan.frames),
  });
  const sound = join(folder, previewFormats[format].sound === 'aac' ? 'sound.m4a' : 'sound.webm');
  const samples = join(folder, 'sound.raw');
  try {
    const hasSound = request.audio && source.info.audio !== null && (await encodeMix(request, samples, sound, mixed, warnings));
    // Loaded only when needed, because loading takes 0.1 s of processor time.
    const { joinTracks } = await import('./joinTracks.ts');
    await joinTracks({
      pieces: plan.pieces.map(({ at, frames }, index) => ({ at, frames, path: pieces[index]!.path })),
      rate: plan.rate, sound: hasSound ? sound : null, format, output, signal,
    });
    joined(1);
    return pieces;
  } finally {
    await Promise.all([sound, samples].map((file) => rm(file, { force: true })));
  }
}

type Tell = (share: number) => void;

/**
 * Encodes the sound. If the sound cannot be decoded, adds a warning and returns false, so that the preview is rendered without
 * sound.
 */
async function encodeMix(request: PreviewRequest, samples: string, output: string, progress: Tell, warnings: Warning[]): Promise<boolean> {
  const { backend, source, plan, format, signal } = request;
  try {
    await mixSound({ backend, source, plan, output: samples, signal, progress: (frames) => progress((0.7 * frames) / plan.frames) });
    await backend.encodeSound({
      samplesFile: samples, sampleRate: soundRate, channels: 2, codec: previewFormats[format].sound, output, signal,
    });
    progress(1);
    return true;
  } catch (error) {
    if (signal.aborted || !(error instanceof Problem)) throw error;
    warnings.push({ code: 'sound-left-out', detail: `The preview has no sound: ${error.detail}` });
    return false;
  }
}
