import { test } from 'vitest';

/** True if all cases run (`VOUCH_TEST_EXHAUSTIVE` is set, as in CI), false if `npm test` runs a sample of the cases. */
export const exhaustive = process.env['VOUCH_TEST_EXHAUSTIVE'] !== undefined;

/** A test that takes seconds and is skipped in a sample. A shorter test of the same file or room covers the same mechanism. */
export const exhaustiveTest = test.skipIf(!exhaustive);

/** Returns all cases, or in a sample `count` of them at equal distances, beginning with the first. */
export function sampleOf<T>(cases: readonly T[], count: number): readonly T[] {
  if (exhaustive || cases.length <= count) return cases;
  return Array.from({ length: count }, (_, at) => cases[Math.floor((at * cases.length) / count)]!);
}
