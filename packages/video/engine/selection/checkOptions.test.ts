import { expect, it } from 'vitest';
import type { SummaryOptions } from '../options/options.schema.ts';
import { checkOptions } from './checkOptions.ts';

const cases: readonly [string, SummaryOptions, number | null, string | null][] = [
  ['nothing said', {}, null, null],
  ['both lengths', { duration: 10, ratio: 0.1 }, null, '/ratio'],
  ['least over most', { min_segment_duration: 5, max_segment_duration: 4 }, null, '/min_segment_duration'],
  ['least over the preview', { min_segment_duration: 12, duration: 10 }, null, '/min_segment_duration'],
  ['too few segments', { max_segments: 2, max_segment_duration: 5, duration: 30 }, null, '/max_segments'],
  ['few long segments', { max_segments: 2, duration: 30 }, null, null],
  ['a long crossfade', { crossfade: 2, min_segment_duration: 3 }, null, '/crossfade'],
  ['a range that runs backwards', { exclude_ranges: [{ start: 1, end: 2 }, { start: 9, end: 3 }] }, null, '/exclude_ranges/1'],
  ['wanted and left out', { include_ranges: [{ start: 5, end: 9 }], exclude_ranges: [{ start: 8, end: 20 }] }, null, '/include_ranges/0'],
  ['wanted in the beginning that is left out', { include_ranges: [{ start: 5, end: 9 }], exclude_start: 6 }, null, '/include_ranges/0'],
  ['wanted in the end that is left out', { include_ranges: [{ start: 90, end: 95 }], exclude_end: '20%' }, 100, '/include_ranges/0'],
  ['the same, before the length is known', { include_ranges: [{ start: 90, end: 95 }], exclude_end: '20%' }, null, null],
  ['wanted beyond the end', { include_ranges: [{ start: 90, end: 120 }], duration: 60 }, 100, '/include_ranges/0'],
  ['more wanted than fits', { include_ranges: [{ start: 0, end: 20 }, { start: 30, end: 50 }], duration: 30 }, null, '/include_ranges'],
  ['more ranges than segments', { include_ranges: [{ start: 0, end: 2 }, { start: 4, end: 6 }], max_segments: 1 }, null, '/max_segments'],
  ['all left out, as shares', { exclude_start: '60%', exclude_end: '40%' }, null, '/exclude_end'],
  ['all left out, as seconds', { exclude_start: 30, exclude_end: 40 }, 60, '/exclude_end'],
  ['no output', { outputs: [] }, null, '/outputs'],
  ['aspect ratios', { aspect_ratios: ['16:9', '1:1', '9:16'], framing: 'pad', width: 640 }, null, null],
  ['no aspect ratio', { aspect_ratios: [] }, null, '/aspect_ratios'],
  ['an aspect ratio twice', { aspect_ratios: ['16:9', '1:1', '32:18'] }, null, '/aspect_ratios/2'],
  ['a very narrow aspect ratio', { aspect_ratios: ['1:5'] }, null, '/aspect_ratios/0'],
  ['an aspect ratio and both sides', { aspect_ratios: ['1:1'], width: 100, height: 100 }, null, '/aspect_ratios'],
  ['framing without another aspect ratio', { framing: 'crop', width: 640 }, null, '/framing'],
  ['framing with both sides', { framing: 'crop', width: 640, height: 640 }, null, null],
  ['an odd side', { framing: 'pad', width: 641, height: 640 }, null, '/width'],
  ['the same in a longer video', { exclude_start: 30, exclude_end: 40 }, 90, null],
];

it.each(cases)('%s', (_, options, duration, location) => {
  const faults = checkOptions(options, duration);
  expect(faults.map((fault) => fault.location)).toEqual(location === null ? [] : [location]);
  for (const { detail } of faults) expect(detail).toMatch(/^.{20,200}[.]$/);
});
