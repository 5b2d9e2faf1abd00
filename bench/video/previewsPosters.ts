import { clearestFace } from '../../packages/video/engine/faces/clearestFace.ts';
import type { FaceWeights } from '../../packages/video/engine/faces/faceNetwork.ts';
import { findFaces } from '../../packages/video/engine/faces/findFaces.ts';
import { faceSearchSize } from '../../packages/video/engine/faces/measureFaces.ts';
import type { MediaBackend } from '../../packages/video/engine/media/mediaBackend.ts';
import { chooseMoments, choosePosters, posterCandidates, preferFaces, preferWithoutText, type Poster } from '../../packages/video/engine/render/choosePosters.ts';
import { lookForFaces } from '../../packages/video/engine/render/rankPosters.ts';
import { showsText } from '../../packages/video/engine/render/overlay/showsText.ts';
import { shrink, takePicture, type TakenPicture } from '../../packages/video/engine/render/takePictures.ts';
import { framesPerSecond } from './eventsScript.ts';
import type { Film } from './previewsFilm.ts';
import type { Take } from './previewsMaterial.ts';

/** Largest width at which a poster is searched for text and faces. */
const posterWidth = 1280;

/**
 * Chooses the posters of composed films as the product does. The pictures of films are small, so the searches for text and faces look at the same
 * pictures of the clips at full size. Pictures without a clip, which are painted, darkened or blurred, count as pictures without text and faces.
 */
export class PosterChooser {
  private readonly backend: MediaBackend;
  private readonly faceWeights: FaceWeights | null;
  private readonly origins = new Map<Uint8Array, { clip: string; time: number }>();

  constructor(backend: MediaBackend, takes: readonly Take[], faceWeights: FaceWeights | null) {
    this.backend = backend;
    this.faceWeights = faceWeights;
    for (const { clip, pictures, times } of takes) for (const [index, picture] of pictures.entries()) this.origins.set(picture, { clip, time: times[index]! });
  }

  /** Times of the poster and its candidates in the film, seconds, best first. */
  async choose(film: Film, ...[analysis, segments]: Parameters<typeof choosePosters>): Promise<number[]> {
    const texts = new Map<number, boolean>();
    const hasText = async ({ time }: Poster): Promise<boolean> => {
      const picture = await this.pictureAt(film, time);
      const text = picture !== null && showsText(picture);
      texts.set(time, text);
      return text;
    };
    const faceOf = async ({ time }: Poster): Promise<number> => {
      const picture = await this.pictureAt(film, time);
      if (picture === null || this.faceWeights === null) return 0;
      const small = shrink(picture, faceSearchSize(picture));
      return clearestFace(small, findFaces(this.faceWeights, small));
    };
    const ranked = await preferWithoutText(choosePosters(analysis, segments), posterCandidates, hasText);
    const looks = this.faceWeights === null ? [] : await lookForFaces({ texts, hasText, faceOf }, ranked, chooseMoments(analysis, segments));
    return preferFaces(ranked, looks).slice(0, posterCandidates).map(({ time }) => time);
  }

  /** The picture of the clip that a film shows at a time; null for a picture without a clip. */
  private async pictureAt(film: Film, time: number): Promise<TakenPicture | null> {
    const shot = film.shots.find(({ start, end }) => time >= start && time < end);
    const small = shot?.pictures[Math.floor((time - shot.start) * framesPerSecond + 0.01)];
    const origin = small === undefined ? undefined : this.origins.get(small);
    if (origin === undefined) return null;
    const { signal } = new AbortController();
    const info = await this.backend.probe(origin.clip, signal);
    const width = Math.min(posterWidth, info.video.width);
    const size = { width, height: 2 * Math.round((width * info.video.height) / info.video.width / 2) };
    return takePicture({ backend: this.backend, source: { path: origin.clip, info, hash: origin.clip }, signal }, origin.time, size);
  }
}
