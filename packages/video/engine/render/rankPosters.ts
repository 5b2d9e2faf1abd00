import { readFile, writeFile } from 'node:fs/promises';
import { clearestFace } from '../faces/clearestFace.ts';
import type { FaceWeights } from '../faces/faceNetwork.ts';
import { findFaces, type Face } from '../faces/findFaces.ts';
import { faceSearchSize } from '../faces/measureFaces.ts';
import type { PosterChoice } from '../report/posterFigures.ts';
import { mayWin, preferFaces, preferWithoutText, type Look, type Poster } from './choosePosters.ts';
import type { Size } from './framing/fitSize.ts';
import { keepPiece, type EncodedPiece } from './keepPiece.ts';
import { showsText } from './overlay/showsText.ts';
import { shrink, takePicture, type PictureSource, type TakenPicture } from './takePictures.ts';

/** Parts of the cache keys. Increase one when its search changes, so that old answers are not reused. */
const textVersion = 1;
const faceVersion = 2;
/** Most pictures that are searched for faces: each takes 0.1 to 0.3 s of processor time, and up to seconds where it is not decoded yet. */
const mostFaceLooks = 4;

interface PostersRequest extends PictureSource {
  size: Size;
  /** Folder in which the answers are kept for later runs. */
  pieces: string;
  posters: readonly unknown[];
  candidates: number;
  /** null if faces are not searched. */
  faceWeights: FaceWeights | null;
}

interface RankedPosters {
  posters: (Poster & PosterChoice)[];
  /** Number of pictures that were searched for faces. */
  looks: number;
  /** Faces of the pictures that were searched, by the time of their poster. */
  faces: ReadonlyMap<number, readonly Face[]>;
  /** The answers, so that a later run decodes nothing. */
  pieces: EncodedPiece[];
  /** Decoded pictures without text, by the time of their poster, so that they are not decoded again. */
  taken: Map<number, TakenPicture>;
}

/**
 * Moves pictures without text before pictures with text, as many as the poster and its candidates need, and pictures that show a face well before others of
 * about the same quality. The pictures are searched at the size of the output. A picture that cannot be decoded counts as a picture without text and faces.
 * @param moments pictures of the same segments in which faces may be searched, best first
 */
export async function rankPosters(request: PostersRequest, posters: readonly Poster[], moments: readonly Poster[]): Promise<RankedPosters> {
  const search = new PictureSearch(request);
  const wanted = Math.max(request.posters.length > 0 ? 1 : 0, request.candidates);
  // One picture has no alternative.
  const ranked = posters.length < 2 ? [...posters] : await preferWithoutText(posters, wanted, (poster) => search.hasText(poster));
  const looks = wanted === 0 || request.faceWeights === null ? [] : await lookForFaces(search, ranked, moments);
  const choices = preferFaces(ranked, looks).map((poster) => (
    { ...poster, text: search.texts.get(poster.time) ?? null, face: looks.find((look) => look.poster.time === poster.time)?.face ?? null }));
  return { posters: choices, looks: looks.length, faces: search.faces, pieces: search.pieces, taken: search.taken };
}

/** Searches the pictures of posters. */
interface PosterSearch {
  /** Whether pictures that were searched before show text, by time. */
  texts: ReadonlyMap<number, boolean>;
  hasText(poster: Poster): Promise<boolean>;
  /** How well the picture shows a face, 0–1. */
  faceOf(poster: Poster): Promise<number>;
}

/**
 * Searches at most four pictures that may become the poster by a face: the best picture first, because others must be worth more than it.
 * @param posters in the order of `preferWithoutText`
 * @param moments other pictures of the same segments, best first
 */
export async function lookForFaces(search: PosterSearch, posters: readonly Poster[], moments: readonly Poster[]): Promise<Look[]> {
  const looks: Look[] = [];
  const look = async (poster: Poster): Promise<void> => {
    const face = await search.faceOf(poster);
    // Of pictures without a face, only those that were searched for text before are of interest.
    const text = search.texts.get(poster.time) ?? (face > 0 && await search.hasText(poster));
    looks.push({ poster, face, text });
  };
  const [first] = posters;
  if (first === undefined) return [];
  await look(first);
  const known = posters.filter((poster) => poster !== first && search.texts.get(poster.time) === false);
  for (const poster of [...known, ...mayWin(moments, looks[0]!)]) {
    if (looks.length === mostFaceLooks) break;
    if (looks.some((each) => each.poster.time === poster.time) || search.texts.get(poster.time) === true) continue;
    await look(poster);
  }
  return looks;
}

/** Searches pictures for text and faces, each picture once in all runs. */
class PictureSearch implements PosterSearch {
  readonly pieces: EncodedPiece[] = [];
  readonly taken = new Map<number, TakenPicture>();
  readonly texts = new Map<number, boolean>();
  readonly faces = new Map<number, readonly Face[]>();
  private readonly request: PostersRequest;

  constructor(request: PostersRequest) {
    this.request = request;
  }

  async hasText(poster: Poster): Promise<boolean> {
    const answer = await this.keep(['text', textVersion], poster, (picture) => ({ text: picture !== null && showsText(picture) }));
    const text = answer.includes('true');
    if (text) this.taken.delete(poster.time);
    this.texts.set(poster.time, text);
    return text;
  }

  async faceOf(poster: Poster): Promise<number> {
    const { faceWeights } = this.request;
    if (faceWeights === null) return 0;
    const answer = await this.keep(['face', faceVersion], poster, (picture) => {
      if (picture === null) return { face: 0, faces: [] };
      const small = shrink(picture, faceSearchSize(picture));
      const faces = findFaces(faceWeights, small);
      return { face: clearestFace(small, faces), faces };
    });
    const { face, faces } = JSON.parse(answer) as { face: number; faces: Face[] };
    this.faces.set(poster.time, faces);
    return face;
  }

  private async keep(kind: readonly unknown[], { time }: Poster, search: (picture: TakenPicture | null) => object): Promise<string> {
    const { backend, source, size, pieces } = this.request;
    const identity = [...kind, backend.name, backend.version, source.hash, Math.round(time * 1e6), size];
    const piece = await keepPiece(pieces, identity, '.json', async (output) => {
      const picture = this.taken.get(time) ?? await takePicture(this.request, time, size);
      if (picture !== null) this.taken.set(time, picture);
      await writeFile(output, JSON.stringify(search(picture)));
      return true;
    });
    this.pieces.push(piece);
    return readFile(piece.path, 'utf8');
  }
}
