import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rateCues, titleOf } from './keySentences.ts';
import { selectSegments } from './selectSegments.ts';
import { parseSubtitles } from './subtitles.ts';
import { testAnalysis } from '../testing/testAnalysis.ts';

const subRip = `\uFEFF1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Where</i> is the\r\nlighthouse?\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n{\\an8}Yes &amp; no.\r\n`;
const webVtt = 'WEBVTT - a title\n\nNOTE\n00:00:09.000 --> 00:00:10.000 is not a cue\n\nSTYLE\n::cue { color: red }\n\nintro\n01:02.250 --> 01:03.000 align:start position:0%\n<v Anna>Hello <c.loud>there</c>\n\n01:00:00.000 --> 01:00:01.000\nLate\n';

describe('subtitles', () => {
  it('are read from SubRip', () => {
    expect(parseSubtitles(subRip)).toEqual([
      { start: 1, end: 2.5, text: 'Where is the\nlighthouse?' },
      { start: 3, end: 4, text: 'Yes & no.' },
    ]);
  });

  it('are read from WebVTT', () => {
    expect(parseSubtitles(webVtt)).toEqual([
      { start: 62.25, end: 63, text: 'Hello there' },
      { start: 3600, end: 3601, text: 'Late' },
    ]);
  });

  it('never throw and stay bounded, whatever comes', () => {
    const line = fc.oneof(fc.string(), fc.constantFrom('00:00:01,000 --> 00:00:02,000', '99:99:99.999 --> 00:00', 'NOTE', '', '-->', '<'.repeat(300), '1:2:3.4 --> 9:9:9.9'));
    fc.assert(fc.property(fc.array(line, { maxLength: 60 }), fc.constantFrom('\n', '\r\n', '\r'), (lines, end) => {
      for (const cue of parseSubtitles(lines.join(end))) {
        expect(cue.end).toBeGreaterThan(cue.start);
        expect(cue.text.length).toBeGreaterThan(0);
        expect(cue.text.length).toBeLessThanOrEqual(500);
        expect(cue.text).not.toMatch(/[^\P{Cc}\n]|^\n|\n\n|\n$/u);
      }
    }));
    const flood = Array.from({ length: 30_000 }, (_, at) => `00:00:01,000 --> 00:00:02,000\nx ${at}\n\n`).join('');
    expect(parseSubtitles(flood).length).toBe(20_000);
    expect(parseSubtitles(`00:00:01,000 --> 00:00:02,000\n${'<'.repeat(1_000_000)}`).length).toBeLessThanOrEqual(1);
  });

  it('rate rare words above common ones', () => {
    const cues = ['go on then', 'go on now', 'go on then now', 'the murderer hid the silver dagger', 'go then'].map((text, index) => ({ start: index, end: index + 1, text }));
    const weights = rateCues(cues).map(({ weight }) => weight);
    expect(Math.max(...weights)).toBe(weights[3]);
  });

  it('give segments a title and a sentence, and the score its share', () => {
    const analysis = testAnalysis([{ seconds: 20, look: 1 }, { seconds: 20, look: 2 }, { seconds: 20, look: 1 }]);
    const cues = [
      ...Array.from({ length: 12 }, (_, index) => ({ start: index * 2, end: index * 2 + 1, text: 'well you know' })),
      { start: 50, end: 53, text: 'The lighthouse keeper confessed that he alone had extinguished the lamp that night' },
    ];
    const { segments } = selectSegments(analysis, { duration: 8 }, cues);
    const told = segments.find(({ start, end }) => start <= 51 && end >= 52)!;
    expect(told.text).toContain('lighthouse keeper');
    expect(told.title).toBe('The lighthouse keeper confessed that he alone had…');
    expect(told.reasons.some((reason) => reason.kind === 'text' && reason.share > 0.1)).toBe(true);
  });

  it('are shortened at a word', () => {
    expect(titleOf('Short.')).toBe('Short.');
    expect(titleOf(`${'a'.repeat(80)}`).length).toBeLessThanOrEqual(60);
  });
});
