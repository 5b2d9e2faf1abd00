import { readFile, writeFile } from 'node:fs/promises';
import { preferWithoutText, type Poster } from './choosePosters.ts';
import type { Size } from './framing/fitSize.ts';
import { keepPiece, type EncodedPiece } from './keepPiece.ts';
import { showsText } from './overlay/showsText.ts';
import { takePicture, type PictureSource, type TakenPicture } from './takePictures.ts';

/** Part of the cache key. Increase it when the search for text changes, so that old answers are not reused. */
const textVersion = 1;

interface PostersRequest extends PictureSource {
  size: Size;
  /** Folder in which the answers are kept for later runs. */
  pieces: string;
  posters: readonly unknown[];
  candidates: number;
}

interface RankedPosters {
  posters: Poster[];
  /** The answers, so that a later run decodes nothing. */
  pieces: EncodedPiece[];
  /** Decoded pictures without text, by the time of their poster, so that they are not decoded again. */
  taken: Map<number, TakenPicture>;
}

/**
 * Moves pictures without text before pictures with text, as many as the poster and its candidates need. The pictures are searched
 * for text at the size of the output. A picture that cannot be decoded counts as a picture without text.
 */
export async function rankPosters(request: PostersRequest, posters: readonly Poster[]): Promise<RankedPosters> {
  const { backend, source, size } = request;
  const pieces: EncodedPiece[] = [];
  const taken = new Map<number, TakenPicture>();
  const wanted = Math.max(request.posters.length > 0 ? 1 : 0, request.candidates);
  // One picture has no alternative.
  if (posters.length < 2) return { posters: [...posters], pieces, taken };
  const ranked = await preferWithoutText(posters, wanted, async ({ time }) => {
    const identity = ['text', textVersion, backend.name, backend.version, source.hash, Math.round(time * 1e6), size];
    const piece = await keepPiece(request.pieces, identity, '.json', async (output) => {
      const picture = await takePicture(request, time, size);
      const text = picture !== null && showsText(picture);
      if (picture !== null && !text) taken.set(time, picture);
      await writeFile(output, JSON.stringify({ text }));
      return true;
    });
    pieces.push(piece);
    return (await readFile(piece.path, 'utf8')).includes('true');
  });
  return { posters: ranked, pieces, taken };
}
