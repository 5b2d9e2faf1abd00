import { expect, test } from 'vitest';
import { defaultFolder, mediaName } from './mediaName.ts';

test('a name never shows the query of an address, where signatures are', () => {
  expect(mediaName('https://films.example/a/The%20Film.mp4?signature=secret')).toBe('The Film.mp4');
  expect(mediaName('https://films.example/')).toBe('video');
  expect(mediaName('/home/me/film.mkv')).toBe('film.mkv');
});

test('the folder for the output lies beside the caller, whatever the media is called', () => {
  expect(defaultFolder('/films/My film (1).mp4')).toBe('My-film-1-preview');
  expect(defaultFolder('https://x.example/%2e%2e%2f%2e%2e%2fetc%2fpasswd')).toBe('passwd-preview');
  expect(defaultFolder('https://x.example/..mp4')).toMatch(/^[^./][^/]*-preview$/);
  expect(defaultFolder('https://x.example/%E0%A4')).toBe('video-preview');
});
