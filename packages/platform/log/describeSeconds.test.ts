import { expect, it } from 'vitest';
import { describeSeconds } from './describeSeconds.ts';

it.each<[number | bigint, string]>([
  [0, '0 s'], [59.9, '59 s'], [60, '1 min'], [90n, '1 min 30 s'], [3_661, '1 h 1 min'], [23_400n, '6 h 30 min'], [86_400, '1 d'], [90_061, '1 d 1 h'],
  [86_460, '1 d'], [86_400n * 10n ** 30n, `1${'0'.repeat(30)} d`],
])('%s seconds are %s', (seconds, text) => {
  expect(describeSeconds(seconds)).toBe(text);
});
