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
