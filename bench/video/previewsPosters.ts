import type { MediaBackend } from '../../packages/video/engine/media/mediaBackend.ts';
import { choosePosters, posterCandidates, preferWithoutText } from '../../packages/video/engine/render/choosePosters.ts';
import { showsText } from '../../packages/video/engine/render/overlay/showsText.ts';
import { takePicture } from '../../packages/video/engine/render/takePictures.ts';
import { framesPerSecond } from './eventsScript.ts';
import type { Film } from './previewsFilm.ts';
import type { Take } from './previewsMaterial.ts';

/** Largest size at which a poster is searched for text. */
const posterWidth = 1280;

/**
 * Chooses the posters of composed films as the product does. The pictures of films are small, so the search for text looks at the same
 * pictures of the clips at full size. Pictures without a clip, which are painted, darkened or blurred, count as pictures without text.
 */
export class PosterChooser {
  private readonly backend: MediaBackend;
  private readonly origins = new Map<Uint8Array, { clip: string; time: number }>();

  constructor(backend: MediaBackend, takes: readonly Take[]) {
    this.backend = backend;
    for (const { clip, pictures, times } of takes) for (const [index, picture] of pictures.entries()) this.origins.set(picture, { clip, time: times[index]! });
  }

  /** Times of the poster and its candidates in the film, seconds, best first. */
  async choose(film: Film, ...[analysis, segments]: Parameters<typeof choosePosters>): Promise<number[]> {
    const ranked = await preferWithoutText(choosePosters(analysis, segments), posterCandidates, ({ time }) => this.hasText(film, time));
    return ranked.slice(0, posterCandidates).map(({ time }) => time);
  }

  private async hasText(film: Film, time: number): Promise<boolean> {
    const shot = film.shots.find(({ start, end }) => time >= start && time < end);
    const small = shot?.pictures[Math.floor((time - shot.start) * framesPerSecond + 0.01)];
    const origin = small === undefined ? undefined : this.origins.get(small);
    if (origin === undefined) return false;
    const { signal } = new AbortController();
    const info = await this.backend.probe(origin.clip, signal);
    const width = Math.min(posterWidth, info.video.width);
    const size = { width, height: 2 * Math.round((width * info.video.height) / info.video.width / 2) };
    const picture = await takePicture({ backend: this.backend, source: { path: origin.clip, info, hash: origin.clip }, signal }, origin.time, size);
    return picture !== null && showsText(picture);
  }
}
