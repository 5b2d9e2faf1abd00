import { describe, expect, it } from 'vitest';
import { contentDisposition, downloadName } from './downloadName.ts';

describe('a saved file', () => {
  it.each([
    ['https://a.example/films/Alpine%20Trip.mp4?token=secret', 'preview.mp4', 'Alpine Trip-preview.mp4'],
    ['https://a.example/', 'poster.jpg', 'poster.jpg'],
    ['https://a.example/..%2f..%2fetc%2fpasswd', 'poster.jpg', 'etc_passwd-poster.jpg'],
    ['https://a.example/%22%0d%0aSet-Cookie:x.mkv', 'poster.jpg', 'Set-Cookie_x-poster.jpg'],
    ['https://a.example/%zz.mp4', 'poster.jpg', 'zz-poster.jpg'],
    ['https://a.example/%D0%A4%D0%B8%D0%BB%D1%8C%D0%BC.webm', 'preview.mp4', 'Фильм-preview.mp4'],
    [`https://a.example/${'x'.repeat(300)}`, 'a.gif', `${'x'.repeat(80)}-a.gif`],
  ])('of %s, %s, is called %s', (url, name, called) => {
    expect(downloadName(url, name)).toBe(called);
  });
});

it('shows names beyond ASCII to those who understand them, and a plain one to others', () => {
  expect(contentDisposition('a b-preview.mp4')).toBe('inline; filename="a b-preview.mp4"');
  expect(contentDisposition("é'(1).mp4")).toBe(`inline; filename="_'(1).mp4"; filename*=UTF-8''%C3%A9%27%281%29.mp4`);
});
