import { expect, test } from 'vitest';
import { createRandom } from '../linear/random.ts';
import { joinRows, ListRows, WholeRows } from './listRows.ts';

/** Compares the bytes of two arrays; comparing half a million elements with `toEqual` takes seconds. */
const same = (one: ArrayBufferView, other: ArrayBufferView): boolean =>
  Buffer.from(one.buffer, one.byteOffset, one.byteLength).equals(Buffer.from(other.buffer, other.byteOffset, other.byteLength));

test('rows of any length, in as many pieces as they were taken in, are those that were made', () => {
  const random = createRandom(1);
  // Enough words for several pieces; some rows are empty, and one row is longer than the initial room for a row.
  const lengths = Int32Array.from({ length: 3000 }, (_, row) => (row === 7 ? 9000 : random.uniform() < 0.2 ? 0 : random.below(500)));
  const taken = new ListRows(new Int32Array(lengths.length), 2);
  const whole = new WholeRows(lengths.length, 2);
  const pieces: Int32Array[] = [];
  const [index, value, score]: [number[], number[], number[]] = [[], [], []];
  lengths.forEach((length, row) => {
    for (let entry = 0; entry < length; entry++) {
      const made = [random.below(1e6), Math.fround(random.uniform()), Math.fround(random.uniform())] as const;
      taken.add(...made);
      whole.add(...made);
      index.push(made[0]);
      value.push(made[1]);
      score.push(made[2]);
    }
    if (length === 0 && row % 2 === 0) return;
    taken.end(row);
    whole.end(row);
    if (row % 400 === 0) pieces.push(taken.take().slice());
  });
  const joined = joinRows(taken.length, [...pieces, taken.take()], 2);
  expect(taken.length).toEqual(lengths);
  expect(same(joined.index, Int32Array.from(index))).toBe(true);
  expect(same(joined.value, Float32Array.from(value))).toBe(true);
  expect(same(joined.score, Float32Array.from(score))).toBe(true);
  expect(joined.pointer.at(-1)).toBe(index.length);
  const { pointer, ...lists } = whole.join();
  expect(pointer).toEqual(joined.pointer);
  expect([same(lists.index, joined.index), same(lists.value, joined.value), same(lists.score, joined.score)]).toEqual([true, true, true]);
});
