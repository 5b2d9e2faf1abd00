import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Analysis, Warning } from '../analysis/analysis.ts';
import type { Selection } from '../selection/selection.ts';
import type { FaceWeights } from '../faces/faceNetwork.ts';
import type { Face } from '../faces/findFaces.ts';
import type { PosterChoice } from '../report/posterFigures.ts';
import { chooseMoments, choosePosters, type Poster } from './choosePosters.ts';
import type { Size } from './framing/fitSize.ts';
import { positionAt, type CropTrack } from './framing/followMotion.ts';
import { facesShare, showFaces } from './framing/showFaces.ts';
import { shapeSuffix, type FrameShape } from './framing/frameShape.ts';
import { frameStill } from './framing/frameStill.ts';
import { framingFacts } from './framing/framingFacts.ts';
import { keepPiece, type EncodedPiece } from './keepPiece.ts';
import { rankPosters } from './rankPosters.ts';
import type { RenderedFile } from './rendering.ts';
import { bestMoment, takePicture, type PictureSource, type TakenPicture } from './takePictures.ts';

interface KeyPicturesRequest extends PictureSource {
  analysis: Analysis;
  selection: Selection;
  size: Size;
  folder: string;
  /** Folder in which pictures are kept for later runs. */
  pieces: string;
  /** Shapes in which to write the poster, each with the positions of its crop; the same picture in all shapes. */
  posters: readonly { shape: FrameShape; track: CropTrack | undefined }[];
  /** Number of pictures to write among which the caller may choose the poster. */
  candidates: number;
  keyframes: boolean;
  /** null if faces are not searched. */
  faceWeights: FaceWeights | null;
  /** Called with each decoded picture and the index of its segment; null if not needed. */
  taken: ((picture: TakenPicture, segment: number) => void) | null;
  progress(share: number): void;
}

/**
 * Part of the cache key. Increase it when the way a picture is decoded or encoded changes, so that old pictures are not
 * reused.
 */
const picturesVersion = 1;

/** Renders the key frame of each segment, the poster and the candidates for the poster. */
export async function renderKeyPictures(request: KeyPicturesRequest): Promise<{ files: RenderedFile[]; pieces: EncodedPiece[]; warnings: Warning[] }> {
  const { analysis, size, folder } = request;
  const { segments } = request.selection;
  const every = request.keyframes || request.taken !== null;
  const files: RenderedFile[] = [];
  const pieces: EncodedPiece[] = [];
  const warnings: Warning[] = [];
  const write = async (made: { piece: EncodedPiece; time: number }, kind: 'keyframe' | 'poster-candidate', name: string, choice?: PosterChoice): Promise<void> => {
    const path = join(folder, name);
    await copyFile(made.piece.path, path);
    files.push({ kind, path, contentType: 'image/jpeg', ...size, time: made.time, ...(choice === undefined ? {} : { choice }) });
  };
  const writePosters = async (chosen: Poster & PosterChoice, otherwise: number, { known, faces = [] }: { known: TakenPicture | undefined; faces: readonly Face[] | undefined }): Promise<void> => {
    const { time: moment, segment } = chosen;
    for (const { shape, track } of request.posters) {
      const position = showFaces(track === undefined ? 0.5 : positionAt(track, moment), faces, shape);
      const crop = shape.mode === 'whole' ? null : { size: shape.size, position };
      const shown = track === undefined ? undefined : { motionShare: track.motionShare, facesShare: facesShare(position, faces, shape) };
      const made = await makePicture({ ...request, size: shape.scaled, taken: null, crop, known }, moment, otherwise, segment);
      if (made === null) continue;
      pieces.push(made.piece);
      const path = join(folder, `poster${shapeSuffix(shape)}.jpg`);
      await copyFile(made.piece.path, path);
      files.push({ kind: 'poster', path, contentType: 'image/jpeg', ...shape.size, time: made.time, choice: choiceOf(chosen), ...framingFacts(shape, shown) });
    }
  };
  for (const [index, segment] of segments.entries()) {
    if (!every) break;
    const moment = bestMoment(analysis, segment);
    const made = await makePicture(request, moment, segment.start, index);
    if (made === null) {
      warnings.push({ code: 'no-key-frame', detail: `No frame of the segment at ${segment.start.toFixed(1)} s can be decoded, so the segment has no key frame.` });
      continue;
    }
    pieces.push(made.piece);
    if (request.keyframes) await write(made, 'keyframe', `keyframe-${String(index + 1).padStart(3, '0')}.jpg`);
    request.progress((index + 1) / segments.length);
  }
  let poster = request.posters.length === 0;
  const ranked = await rankPosters(request, choosePosters(analysis, segments), chooseMoments(analysis, segments));
  pieces.push(...ranked.pieces);
  for (const [rank, chosen] of ranked.posters.entries()) {
    const { time, segment } = chosen;
    if (poster && rank >= request.candidates) break;
    const made = await makePicture({ ...request, taken: null, known: ranked.taken.get(time) }, time, segments[segment]!.start, segment);
    if (made === null) {
      warnings.push({ code: 'no-poster', detail: `The frame at ${time.toFixed(1)} s cannot be decoded, so it is not the poster.` });
      continue;
    }
    pieces.push(made.piece);
    if (!poster) await writePosters(chosen, segments[segment]!.start, { known: ranked.taken.get(time), faces: ranked.faces.get(time) });
    poster = true;
    if (rank < request.candidates) await write(made, 'poster-candidate', `poster-candidate-${rank + 1}.jpg`, choiceOf(chosen));
  }
  return { files, pieces, warnings };
}

function choiceOf({ quality, text, face }: PosterChoice): PosterChoice {
  const round = (value: number): number => Number(value.toFixed(3));
  return { quality: round(quality), text, face: face === null ? null : round(face) };
}

/**
 * Renders the picture at `moment`, or the picture at `otherwise` if the first cannot be decoded; null if neither can be
 * decoded. `known` is the picture at `moment` if it is decoded already. Later runs reuse only pictures of exactly `moment`, because the cache does not store the time.
 */
async function makePicture(
  request: KeyPicturesRequest & { crop?: { size: Size; position: number } | null; known?: TakenPicture | undefined }, moment: number, otherwise: number, segment: number,
): Promise<{ piece: EncodedPiece; time: number } | null> {
  const { backend, source, size, signal, taken, crop = null, known } = request;
  const identity = ['picture', picturesVersion, backend.name, backend.version, source.hash, Math.round(moment * 1e6), size, ...(crop === null ? [] : [crop])];
  const same = known?.width === size.width && known.height === size.height ? known : null;
  const take = async (): Promise<TakenPicture | null> => same ?? await takePicture(request, moment, size) ?? takePicture(request, otherwise, size);
  let picture = taken === null ? null : await take();
  if (taken !== null && picture === null) return null;
  if (picture !== null) taken?.(picture, segment);
  const isMoment = (): boolean => picture === null || Math.abs(picture.time - moment) <= sameFrame;
  try {
    const piece = await keepPiece(request.pieces, identity, '.jpg', async (output) => {
      picture ??= await take();
      if (picture === null) throw new NoPicture();
      const still = crop === null ? picture : frameStill(picture, crop.size, crop.position);
      await backend.encodeStill({ rgb: still.rgb, width: still.width, height: still.height, output, signal });
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
