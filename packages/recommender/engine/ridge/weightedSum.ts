import type { ItemMatrix } from './ridgeMatrix.ts';

/** The weighted sum of two matrices of the same items, which it leaves unchanged, rounded as `regressionOf` rounds it; null without matrices. */
export function weightedSum(first: ItemMatrix | null, weight: number, second: ItemMatrix | null, secondWeight: number): ItemMatrix | null {
  const [base = null] = [first, second].filter((each) => each !== null);
  if (base === null) return null;
  const values = new Float32Array(base.values.length);
  for (const [matrix, factor] of [[first, weight], [second, secondWeight]] as const) {
    if (matrix !== null) for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) + Math.fround(factor * (matrix.values[at] as number));
  }
  return { ...base, values };
}
