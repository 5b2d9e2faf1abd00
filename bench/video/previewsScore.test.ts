import { describe, expect, it } from 'vitest';
import type { Film, FilmShot, ShotKind } from './previewsFilm.ts';
import { rankPosters, scorePreview } from './previewsScore.ts';

const shot = (kind: ShotKind, source: string, start: number, end: number, words: FilmShot['words'] = []): FilmShot =>
  ({ kind, source, start, end, words, titled: kind === 'beauty' ? 30 : 0, pictures: [], sound: new Int16Array(0) });

const film: Film = {
  name: 'test', seconds: 30, shots: [
    shot('card', 'card', 0, 2), shot('bang', 'fly-by', 2, 6), shot('talk', 'speaker', 6, 16, [{ start: 8, end: 9, pitch: 100 }]),
    shot('bang', 'fly-by', 16, 20), shot('beauty', 'lake', 20, 30),
  ],
};

describe('the score of a preview', () => {
  it('is clean for a preview that shows each scene once, at cuts', () => {
    expect(scorePreview(film, [{ start: 2, end: 6 }, { start: 9.5, end: 14 }, { start: 20, end: 25 }], [22])).toEqual({
      repeats: 0, fragments: 0, lateEnds: 0, earlyStarts: 0, coverage: 1, quiet: 1, junk: 0, titled: 0, dark: 0, blurred: 0, dimStart: 0, words: 0, poster: 1, posterText: 0, candidateText: 0, seconds: 13.5,
    });
  });

  it('counts a scene shown twice, but not two parts of a scene', () => {
    expect(scorePreview(film, [{ start: 2, end: 5 }, { start: 17, end: 20 }], []).repeats).toBe(1);
    expect(scorePreview(film, [{ start: 2, end: 4 }, { start: 18, end: 20 }], []).repeats).toBe(0);
  });

  it('counts fragments, ends just after a cut, starts just before a cut, cut words and cards', () => {
    expect(scorePreview(film, [{ start: 1.6, end: 6.6 }, { start: 8.5, end: 12 }], [1])).toMatchObject({
      fragments: 2, lateEnds: 0.5, earlyStarts: 0.5, words: 1, poster: 0, quiet: 0, junk: expect.closeTo(0.4 / 8.5, 6),
    });
  });
});

describe('titles and dark scenes', () => {
  const dim: Film = { ...film, shots: [shot('dark', 'cave', 0, 4), ...film.shots.slice(1).map((one) => ({ ...one, start: one.start + 2, end: one.end + 2 }))] };

  it('count by their seconds, and at the start', () => {
    expect(scorePreview(dim, [{ start: 2, end: 5 }, { start: 29, end: 32 }], [])).toMatchObject({ dark: 1 / 3, dimStart: 1, titled: 1 / 3, junk: 0 });
    expect(scorePreview(dim, [{ start: 3, end: 8 }], [])).toMatchObject({ dark: 1 / 5, dimStart: 0 });
    expect(scorePreview(film, [{ start: 0, end: 3 }], [])).toMatchObject({ dimStart: 1, junk: 2 / 3 });
  });
});

describe('a poster', () => {
  it('shows text on a card and in the part of a scene with a title; candidates count by their share', () => {
    expect(scorePreview(film, [], [1, 4, 27, 29])).toMatchObject({ posterText: 1, candidateText: 0.5 });
    expect(scorePreview(film, [], [4, 28.1])).toMatchObject({ posterText: 0, candidateText: 0.5 });
    expect(scorePreview(film, [], [])).toMatchObject({ posterText: 0, candidateText: 0 });
  });
});

describe('the rank of posters', () => {
  it('is the share of pairs of a good and a bad picture in the right order', () => {
    expect(rankPosters(film, [4, 10, 1])).toBe(1);
    expect(rankPosters(film, [4, 1, 10])).toBe(0.5);
    expect(rankPosters(film, [1, 4, 10])).toBe(0);
  });
});
