import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../linear/random.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { KernelTools } from './kernelTools.ts';
import { PlainTools } from './plainTools.ts';
import { Workspace } from './workspace.ts';
import type { RowTools } from './rowTools.ts';

const workspace = new Workspace();
const kernels = new KernelTools(workspace, 500);
const plain = new PlainTools();
const single = fc.float({ noNaN: true, min: Math.fround(-1e30), max: Math.fround(1e30) });

const floats = (tools: RowTools, values: readonly number[]): Float32Array => {
  const array = tools.floats(values.length);
  array.set(values);
  return array;
};
const integers = (tools: RowTools, values: readonly number[]): Int32Array => {
  const array = tools.integers(values.length);
  array.set(values);
  return array;
};

describe('the kernels of rows do what their plain twins do:', () => {
  test('selection and sorting, with ties by index', () => {
    const keys = fc.array(fc.oneof(single, fc.constantFrom(0, -0, 1, 2, 0.5)), { maxLength: 400 });
    fc.assert(
      fc.property(keys, fc.nat(420), fc.nat(), (values, wanted, shuffle) => {
        const k = Math.min(wanted, values.length);
        const random = new SeededRandom(shuffle);
        const order = [...values.keys()].map((n) => [random.uniform(), n] as const).sort((a, b) => a[0] - b[0]).map(([, n]) => n);
        const chosenBy = (tools: RowTools): [number, number][] => {
          const key = floats(tools, values);
          const index = integers(tools, order);
          tools.selectLargest(key, index, values.length, k);
          tools.sortLargestFirst(key, index, k);
          return Array.from({ length: k }, (_, n) => [(key[n] as number) + 0, index[n] as number]);
        };
        expect(chosenBy(kernels)).toEqual(chosenBy(plain));
      }),
      { numRuns: 400 },
    );
  });

  test('a selection that is longer than prepared for is refused', () => {
    expect(() => kernels.selectLargest(workspace.floats(1), workspace.integers(1), 1e6, 1)).toThrow(/longer than the 8192/);
  });

  test('dot products of one and two queries, by index and in sequence, without a trace behind the last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 30 }), fc.nat(40), fc.integer(), (columns, rows, n, seed) => {
        const random = new SeededRandom(seed);
        const matrix = Array.from({ length: rows * columns }, () => Math.fround(random.normal()));
        const queries = [0, 1].map(() => Array.from({ length: columns }, () => Math.fround(random.normal())));
        const index = Array.from({ length: n }, () => random.below(rows));
        const results = (tools: RowTools): number[][] => {
          const [one, a, b, sequence] = [0, 1, 2, 3].map(() => tools.floats(64).fill(-77)) as [Float32Array, Float32Array, Float32Array, Float32Array];
          const [query, other] = queries.map((values) => floats(tools, values)) as [Float32Array, Float32Array];
          const placed = floats(tools, matrix);
          const wanted = integers(tools, index);
          tools.dot(query, placed, wanted, n, columns, one);
          tools.dotTwo(query, other, placed, wanted, n, columns, a, b);
          tools.dot(query, placed, null, rows, columns, sequence);
          const three = [0, 1, 2].map(() => tools.floats(64).fill(-77)) as [Float32Array, Float32Array, Float32Array];
          tools.dotThree([query, other, query], placed, wanted, n, columns, three);
          // One query gives the same sums to the last bit, whichever others go with it.
          expect([[...three[0]], [...three[1]], [...three[2]]]).toEqual([[...a], [...b], [...one]]);
          return [one, a, b, sequence].map((array) => [...array]);
        };
        const mark = workspace.mark();
        const expected = results(plain);
        results(kernels).forEach((array, which) => {
          array.forEach((value, at) => expect(Math.abs(value - (expected[which]?.[at] ?? 0))).toBeLessThan(1e-4));
        });
        workspace.release(mark);
      }),
    );
  });

  test('rows of the Gram matrix, to the last bit', () => {
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(fc.nat(24)), { maxLength: 40 }), (lists) => {
        const pointer = Float64Array.from([0, ...lists.map((_, user) => lists.slice(0, user + 1).flat().length)]);
        const history = { pointer, index: Int32Array.from(lists.flat()) };
        const mark = workspace.mark();
        const results = (tools: RowTools, memory: Workspace | null): unknown[] => {
          const { rows, audience } = toInteractions(history, 25, memory);
          const weights = floats(tools, lists.map((list) => list.length ** -0.5));
          const popularity = floats(tools, Array.from({ length: 25 }, (_, item) => Math.sin(item)));
          const sums = tools.floats(50);
          const found = tools.integers(26);
          return Array.from({ length: 25 }, (_, item) => {
            const count = tools.gramRow(item, audience, rows, weights, sums, found);
            const key = tools.floats(count);
            tools.weighSums(found, count, sums, popularity, key);
            const row = [[...sums], [...found.subarray(0, count)], [...key]];
            tools.clearSums(found, count, sums);
            return [...row, sums.every((value) => value === 0)];
          });
        };
        expect(results(kernels, workspace)).toEqual(results(plain, null));
        workspace.release(mark);
      }),
    );
  });

  test('keys of operator rows and related rows, and the largest sum', () => {
    const items = 30;
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(items - 1), { maxLength: items }), fc.integer(), fc.boolean(), (listed, seed, expecting) => {
        const mark = workspace.mark();
        const results = (tools: RowTools): number[] => {
          const random = new SeededRandom(seed);
          const some = (length: number): Float32Array => floats(tools, Array.from({ length }, () => random.uniform() - 0.2));
          const index = integers(tools, listed);
          const sums = some(2 * items);
          const key = tools.floats(listed.length);
          tools.operatorKeys(index, listed.length, sums, {
            damped: some(items), plain: some(items), inverseRoot: some(items), columnPower: some(items), root: some(items),
            normaliser: 0.7, rowPower: 1.3, lowPass: 0.3,
          }, key);
          const ofOperator = [...key];
          const near = tools.floats(items);
          tools.relatedKeys(index, listed.length, sums, {
            dot: some(items), term: expecting ? some(items) : null, inverseNorm: some(items), columnWeight: some(items),
            popularity: some(items), near, inverseLength: 0.9, seen: 0.6, expected: 0.4, scale: 2,
          }, key);
          return [...ofOperator, ...key, ...near, tools.largestSum(index, listed.length, sums, some(items))];
        };
        const expected = results(plain);
        results(kernels).forEach((value, at) => expect(Math.abs(value - (expected[at] ?? 0))).toBeLessThan(1e-5));
        workspace.release(mark);
      }),
    );
  });
});
