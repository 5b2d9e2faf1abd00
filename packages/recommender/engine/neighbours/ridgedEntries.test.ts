import { expect, test } from 'vitest';
import { createRandom } from '../linear/random.ts';
import { PlainTools } from '../kernels/plainTools.ts';
import { ridgedLimit } from './operatorLimit.ts';
import { RidgedEntries } from './ridgedEntries.ts';

test.each([ridgedLimit, ridgedLimit + 200])('of %d entries, a regression’s row keeps the strongest of any sign', (count) => {
  const random = createRandom(3);
  const items = count + 1;
  const operator = Float32Array.from({ length: items }, () => random.normal());
  // Item 0 and every second other item take part in the regression.
  const place = Int32Array.from({ length: items }, (_, item) => (item === 0 ? 0 : item % 2 === 1 ? (item + 1) / 2 : -1));
  const values = Float32Array.from({ length: items }, () => random.normal());
  const ridge = { items: Int32Array.from(place.keys()).filter((item) => place[item] !== -1), place, values, stride: items };
  const expected = operator.map((value, item) => value + ((place[item] ?? -1) < 0 ? 0 : (values[place[item] as number] as number)));
  const index = Int32Array.from({ length: count }, (_, at) => items - 1 - at);
  const key = Float32Array.from(index, (item) => operator[item] as number);
  const entries = new RidgedEntries(new PlainTools(), items, ridge);
  expect([entries.has(0), entries.has(2)]).toEqual([true, false]);
  expect(entries.select(0, key, index, count)).toBe(ridgedLimit);
  const wanted = Int32Array.from({ length: count }, (_, at) => items - 1 - at).sort((a, b) => Math.abs(expected[b] as number) - Math.abs(expected[a] as number));
  expect(new Set(index.subarray(0, ridgedLimit))).toEqual(new Set(wanted.subarray(0, ridgedLimit)));
  for (let at = 0; at < ridgedLimit; at++) expect(key[at]).toBeCloseTo(expected[index[at] as number] as number, 5);
  expect(key.subarray(0, ridgedLimit).some((each) => each < 0)).toBe(true);
});
