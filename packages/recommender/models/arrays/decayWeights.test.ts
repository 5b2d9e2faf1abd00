import { expect, it } from 'vitest';
import { filmData } from '../../testing/filmData.ts';
import { decayWeights } from './decayWeights.ts';

it('halves the weight with each half-life before the newest timestamp, to a thousandth, and keeps weights without a timestamp', () => {
  const data = filmData(40, 8, 1);
  const days = (age: number): number => 1e12 - age * 86_400_000;
  const time = Float64Array.from(data.pairs.time, (_, pair) => [days(0), days(30), days(60), Number.NaN, days(9_000)][pair] ?? days(15));
  const weight = new Float32Array(data.pairs.count).fill(4);
  expect([...decayWeights({ ...data, pairs: { ...data.pairs, time } }, 30).pairs.weight ?? []].slice(0, 5)).toEqual([1, 0.5, 0.25, 1, Math.fround(0.001)]);
  expect(decayWeights({ ...data, pairs: { ...data.pairs, time, weight } }, 30).pairs.weight?.slice(0, 3)).toEqual(Float32Array.of(4, 2, 1));
  expect(decayWeights(data, 30)).toBe(data);
});
