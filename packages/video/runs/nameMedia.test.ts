import { Problem } from '@vouch/platform/errors/problem';
import { expect, it } from 'vitest';
import { mediaErrors } from '../engine/mediaErrors.ts';
import { nameMedia, nameMediaOf } from './nameMedia.ts';

const file = 'sha256-07ab';

it.each([
  ['sha256-07ab is a web page, not a video.', 'The file from films.example is a web page, not a video.'],
  ['sha256-07ab: the decoder crashed on it.', 'The file from films.example: the decoder crashed on it.'],
  ['The preview has no sound: sha256-07ab has sound that cannot be decoded.', 'The preview has no sound: The file from films.example has sound that cannot be decoded.'],
  ['The video has 1 picture; a preview needs at least two.', 'The video has 1 picture; a preview needs at least two.'],
  ['sha256-07abc is another file.', 'sha256-07abc is another file.'],
])('%s', (text, named) => {
  expect(nameMedia(text, file, 'The file from films.example')).toBe(named);
});

it('a problem keeps all but its detail', () => {
  const problem = mediaErrors.problem('not-media', 'source is a web page, not a video.');
  expect(nameMediaOf(problem, 'source', 'film.mp4')).toMatchObject({ code: 'not-media', status: 422, title: problem.title, detail: 'film.mp4 is a web page, not a video.' });
  expect(nameMediaOf(problem, 'source', 'film.mp4')).toBeInstanceOf(Problem);
  const bug = new Error('source is gone');
  expect(nameMediaOf(bug, 'source', 'film.mp4')).toBe(bug);
});
