import { describe, expect, it } from 'vitest';
import { testAnalysis } from '../testing/testAnalysis.ts';
import type { SummaryOptions } from '../options/options.schema.ts';
import { selectSegments } from './selectSegments.ts';

const scenes = [1, 2, 3, 4].map((look) => ({ seconds: 10, look }));

/** What a selection of 6 s tells about options without effect. */
function told(options: SummaryOptions, silent = false): string[] {
  return selectSegments(testAnalysis(scenes, { silent }), { duration: 6, ...options }).warnings.filter(({ code }) => code === 'option-without-effect').map(({ detail }) => detail);
}

describe('options without effect', () => {
  it('are ranges after the end of the video', () => {
    expect(told({ exclude_ranges: [{ start: 0, end: 2 }, { start: 50, end: 60 }] })).toEqual(['exclude_ranges/1 (50–60 s) has no effect, because the video ends at 40 s.']);
    expect(told({ exclude_ranges: [{ start: 30, end: 60 }] })).toEqual([]);
  });

  it('are options of the sound where the video has none', () => {
    const options = { audio: true, weights: { sound: 2, motion: 1 } };
    expect(told(options, true)).toEqual(['audio, weights.sound have no effect, because the video has no sound.']);
    expect(told(options)).toEqual([]);
    expect(told({ audio: false, weights: { sound: 0 } }, true)).toEqual([]);
  });

  it('are a language beside an address of subtitles', () => {
    expect(told({ subtitles_language: 'de', subtitles_url: 'https://example.com/a.vtt' })).toEqual([expect.stringMatching(/^subtitles_language de has no effect/)]);
    expect(told({ subtitles_language: 'de' })).toEqual([]);
  });

  it('are captions in pictures and aspect ratios without an output that shows them', () => {
    const options: SummaryOptions = { burn_captions: true, aspect_ratios: ['1:1'] };
    expect(told({ ...options, outputs: ['captions', 'storyboard'] })).toEqual(['burn_captions and aspect_ratios have no effect on the outputs captions, storyboard.']);
    expect(told({ ...options, outputs: ['poster'] })).toEqual(['burn_captions has no effect on the outputs poster.']);
    expect([...told(options), ...told({ ...options, outputs: ['gif'] })]).toEqual([]);
  });
});
