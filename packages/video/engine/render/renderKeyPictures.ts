import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Analysis, Warning } from '../analysis/analysis.ts';
import type { Selection } from '../selection/selection.ts';
import type { Size } from './previewShape.ts';
import { keepPiece, type EncodedPiece } from './keepPiece.ts';
import type { RenderedFile } from './rendering.ts';
import { bestMoment, takePicture, type PictureSource, type TakenPicture } from './takePictures.ts';

interface KeyPicturesRequest extends PictureSource {
  analysis: Analysis;
  selection: Selection;
  size: Size;
  folder: string;
  /** Folder in which pictures are kept for later runs. */
  pieces: string;
  poster: boolean;
  keyframes: boolean;
  /** Called with each decoded picture and the index of its segment; null if not needed. */
  taken: ((picture: TakenPicture, segment: number) => void) | null;
  progress(share: number): void;
}

/**
 * Part of the cache key. Increase it when the way a picture is decoded or encoded changes, so that old pictures are not
 * reused.
 */
const picturesVersion = 1;

/** Renders the key frame of each segment, and the poster from the segment with the highest score. */
export async function renderKeyPictures(request: KeyPicturesRequest): Promise<{ files: RenderedFile[]; pieces: EncodedPiece[]; warnings: Warning[] }> {
  const { analysis, size, folder } = request;
  const { segments } = request.selection;
  const best = segments.reduce((found, segment, index) => (segment.score > segments[found]!.score ? index : found), 0);
  const every = request.keyframes || request.taken !== null;
  const files: RenderedFile[] = [];
  const pieces: EncodedPiece[] = [];
  const warnings: Warning[] = [];
  for (const [index, segment] of segments.entries()) {
    if (!every && index !== best) continue;
    const moment = bestMoment(analysis, segment);
    const made = await makePicture(request, moment, segment.start, index);
    if (made === null) {
      warnings.push({ code: 'no-key-frame', detail: `No frame of the segment at ${segment.start.toFixed(1)} s can be decoded, so the segment has no key frame.` });
      continue;
    }
    pieces.push(made.piece);
    const write = async (kind: 'keyframe' | 'poster', name: string): Promise<void> => {
      const path = join(folder, name);
      await copyFile(made.piece.path, path);
      files.push({ kind, path, contentType: 'image/jpeg', ...size, time: made.time });
    };
    if (request.keyframes) await write('keyframe', `keyframe-${String(index + 1).padStart(3, '0')}.jpg`);
    if (request.poster && index === best) await write('poster', 'poster.jpg');
    request.progress((index + 1) / segments.length);
  }
  return { files, pieces, warnings };
}

/**
 * Renders the picture at `moment`, or the picture at `otherwise` if the first cannot be decoded; null if neither can be
 * decoded. Later runs reuse only pictures of exactly `moment`, because the cache does not store the time.
 */
async function makePicture(
  request: KeyPicturesRequest, moment: number, otherwise: number, segment: number,
): Promise<{ piece: EncodedPiece; time: number } | null> {
  const { backend, source, size, signal, taken } = request;
  const identity = ['picture', picturesVersion, backend.name, backend.version, source.hash, Math.round(moment * 1e6), size];
  const take = async (): Promise<TakenPicture | null> => await takePicture(request, moment, size) ?? takePicture(request, otherwise, size);
  let picture = taken === null ? null : await take();
  if (taken !== null && picture === null) return null;
  if (picture !== null) taken?.(picture, segment);
  const isMoment = (): boolean => picture === null || Math.abs(picture.time - moment) <= sameFrame;
  try {
    const piece = await keepPiece(request.pieces, identity, '.jpg', async (output) => {
      picture ??= await take();
      if (picture === null) throw new NoPicture();
      await backend.encodeStill({ rgb: picture.rgb, ...size, output, signal });
      return isMoment();
    });
    return { piece, time: isMoment() ? moment : picture!.time };
  } catch (error) {
    if (error instanceof NoPicture) return null;
    throw error;
  }
}

/** Maximum difference between two computed times of the same frame, seconds. */
const sameFrame = 1e-4;

class NoPicture extends Error {}
