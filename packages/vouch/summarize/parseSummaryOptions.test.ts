import { expect, test } from 'vitest';
import { parseSummaryOptions } from './parseSummaryOptions.ts';

test('null in the JSON of --options means that the option is absent, and leaves what a person at a terminal gets', () => {
  const read = parseSummaryOptions({ audio: true, options: '{"outputs":null,"duration":null,"weights":{"motion":null,"sound":2}}' });
  expect(read).toEqual({ outputs: ['mp4', 'poster', 'storyboard', 'keyframes'], weights: { sound: 2 } });
});

test('--aspect is a list of aspect ratios, checked like the option of the HTTP interface', () => {
  expect(parseSummaryOptions({ audio: true, aspect: '16:9, 9:16', framing: 'pad' })).toMatchObject({ aspect_ratios: ['16:9', '9:16'], framing: 'pad' });
  expect(() => parseSummaryOptions({ audio: true, aspect: '16x9' })).toThrow(/aspect_ratios/);
  expect(() => parseSummaryOptions({ audio: true, aspect: '9:16,18:32' })).toThrow('The aspect ratios 9:16 and 18:32 are the same.');
  expect(() => parseSummaryOptions({ audio: true, framing: 'crop' })).toThrow('Set aspect_ratios, or both width and height.');
});

test('an option that both a flag and --options set is refused, with the names of both', () => {
  const conflict = (flags: Parameters<typeof parseSummaryOptions>[0]) => () => parseSummaryOptions(flags);
  expect(conflict({ audio: true, outputs: 'gif', options: '{"outputs":["mp4"]}' })).toThrow('--outputs and outputs in --options set the same option. Use only one of them.');
  expect(conflict({ audio: true, segments: '3', aspect: '1:1', options: '{"max_segments":4,"aspect_ratios":["9:16"]}' }))
    .toThrow('--segments and max_segments in --options set the same option. Use only one of them.\n--aspect and aspect_ratios in --options');
  expect(conflict({ audio: false, options: '{"audio":true}' })).toThrow('--no-audio and audio in --options');
  expect(conflict({ audio: true, burnCaptions: true, options: '{"burn_captions":false}' })).toThrow('--burn-captions and burn_captions');
  expect(conflict({ audio: true, subtitles: 'a.srt', options: '{"subtitles_url":"https://films.example/a.srt"}' })).toThrow('--subtitles and subtitles_url in --options');
  expect(parseSummaryOptions({ audio: true, subtitles: 'a.srt', options: '{"duration":9}' })).not.toHaveProperty('subtitles');
  expect(parseSummaryOptions({ audio: true, outputs: 'gif', options: '{"outputs":null,"duration":9}' })).toEqual({ outputs: ['gif'], duration: 9 });
});
