import { expect, it } from 'vitest';
import { parseSubtitles } from '../selection/subtitles.ts';
import { captionsVtt, chaptersVtt } from './previewText.ts';

const part = { overlapBefore: 0, overlapAfter: 0, continuesBefore: false, continuesAfter: false };
const rate = { numerator: 25, denominator: 1 };
/** 10 to 14 s, then 60 to 63 s, with a crossfade of 0.4 s. */
const parts = [{ ...part, from: 10, at: 0, frames: 100, overlapAfter: 10 }, { ...part, from: 60, at: 90, frames: 75, overlapBefore: 10 }];

it('captions have the subtitles of the segments at the times of the preview, and end where their segment ends', () => {
  const vtt = captionsVtt({ rate, parts }, [
    { start: 5, end: 9.9, text: 'before the first segment' },
    { start: 9, end: 11, text: 'begun before' },
    { start: 13, end: 20, text: 'a & b --> <i>' },
    { start: 60.1, end: 60.4, text: 'only in the crossfade' },
    { start: 61, end: 62.5, text: 'second' },
  ]);
  expect(vtt).toMatch(/^WEBVTT\n\n/);
  expect(parseSubtitles(vtt)).toEqual([
    { start: 0, end: 1, text: 'begun before' },
    { start: 3, end: 3.8, text: 'a & b --> <i>' },
    { start: 4.6, end: 6.1, text: 'second' },
  ]);
});

it('chapters follow each other without a gap, and are named by title or time', () => {
  expect(parseSubtitles(chaptersVtt({ rate, parts }, [{ start: 10, title: 'The goal' }, { start: 3660, title: null }]))).toEqual([
    { start: 0, end: 3.8, text: 'The goal' },
    { start: 3.8, end: 6.6, text: 'From 1:01:00.0' },
  ]);
});
