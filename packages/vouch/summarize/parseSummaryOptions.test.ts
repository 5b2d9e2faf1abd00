import { expect, test } from 'vitest';
import { parseSummaryOptions } from './parseSummaryOptions.ts';

test('null in the JSON of --options means that the option is absent, and leaves what a person at a terminal gets', () => {
  const read = parseSummaryOptions({ audio: true, options: '{"outputs":null,"duration":null,"weights":{"motion":null,"sound":2}}' });
  expect(read).toEqual({ outputs: ['mp4', 'poster', 'storyboard', 'keyframes'], weights: { sound: 2 } });
});
