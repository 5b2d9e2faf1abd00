import { describe, expect, it } from 'vitest';
import type { SummaryOptions } from '../options/options.schema.ts';
import { settleOptions } from './settleOptions.ts';
import { warnOfShortfall } from './warnOfShortfall.ts';

describe('the warning of a preview that is too short', () => {
  const tell = (options: SummaryOptions, lengthWith: ((changed: SummaryOptions) => number) | null): string => warnOfShortfall(10, options, settleOptions(options, 600), lengthWith).detail;
  const short = 'The preview has only 10.0 s, 20.0 s less than the default 30.0 s.';

  it('names the options that limit it alone, the most limiting first, and no others', () => {
    const lengthWith = ({ max_segments: count, crossfade, keep_speech_whole: whole }: SummaryOptions): number => (count === undefined ? 25 : crossfade === undefined ? 10.3 : whole === false ? 28 : 10);
    expect(tell({ max_segments: 3, crossfade: 1 }, lengthWith)).toBe(`${short} With keep_speech_whole false, the preview would have 28.0 s; without max_segments 3, 25.0 s.`);
  });

  it('says that several options limit it only together', () => {
    const lengthWith = ({ max_segments: count, exclude_end: end }: SummaryOptions): number => (count === undefined && end === undefined ? 30 : 10);
    expect(tell({ max_segments: 3, exclude_end: '50%', skip_credits: false, keep_speech_whole: false }, lengthWith))
      .toBe(`${short} No option alone is the cause. Without max_segments 3 and without exclude_end 50%, the preview would have 30.0 s.`);
  });

  it('says that the video has no more where no option limits it', () => {
    expect(tell({ max_segments: 3 }, () => 10)).toBe(`${short} No option is the cause: no other part of the video makes a segment of 1.5 to 12.5 s beside these.`);
  });

  it('names no option where it may not try them', () => {
    expect(tell({ max_segments: 3 }, null)).toBe(short);
  });
});
