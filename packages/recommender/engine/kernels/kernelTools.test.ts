import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../linear/random.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { KernelTools } from './kernelTools.ts';
import { PlainTools } from './plainTools.ts';
import { quantiseRows } from './quantisedRows.ts';
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
        const random = createRandom(shuffle);
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

  test('quantised rows and dot products of one to three queries, singly and with all rows together, to the last bit and without a trace behind the last', () => {
    const shapes = fc.record({
      columns: fc.integer({ min: 1, max: 70 }), rows: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 60, max: 140 })), n: fc.nat(40), seed: fc.integer(), weighted: fc.boolean(),
    });
    fc.assert(
      fc.property(shapes, ({ columns, rows, n, seed, weighted }) => {
        const random = createRandom(seed);
        // Rows of very different lengths, some of them zero.
        const vector = (): number[] => {
          const size = random.below(5) === 0 ? 0 : 10 ** (30 * random.uniform() - 20);
          return Array.from({ length: columns }, () => size * random.normal());
        };
        const [matrix, queries, weight] = [Array.from({ length: rows }, vector).flat(), [vector(), vector(), vector()], vector()];
        const index = Array.from({ length: n }, () => random.below(rows));
        const from = random.below(rows);
        const results = (tools: RowTools): unknown[] => {
          const all = quantiseRows(tools, floats(tools, matrix), columns);
          // Queries are wider than the matrix; only the columns of the matrix count.
          const asked = tools.quantised(3, columns + 9);
          queries.forEach((values, row) => tools.quantise(floats(tools, values), weighted ? floats(tools, weight) : null, asked, row));
          const outs = [0, 1, 2].map(() => tools.floats(144)) as [Float32Array, Float32Array, Float32Array];
          const dot = (which: Int32Array | number, count: number, wanted: number): number[][] => {
            for (const out of outs) out.fill(-77);
            tools.dot(asked, all, which, count, [outs[0], wanted > 1 ? outs[1] : undefined, wanted > 2 ? outs[2] : undefined]);
            return outs.map((out) => [...out]);
          };
          const listed = integers(tools, index);
          const products = [1, 2, 3].flatMap((wanted) => [dot(listed, n, wanted), dot(from, rows - from, wanted)]);
          const together = [1, 2, 3].map((wanted) => {
            const out = tools.floats(3 * rows + 4).fill(-77);
            tools.dotAll(asked, wanted, all, out);
            return [...out];
          });
          return [[...all.entries], [...all.steps], [...asked.entries], [...asked.steps], products, together];
        };
        const mark = workspace.mark();
        expect(results(kernels)).toEqual(results(plain));
        workspace.release(mark);
      }),
    );
  });

  test.each([kernels, plain])('dot products do not overflow where rows are as long as they can be, and are within 1e-4 of the cosine', (tools) => {
    const random = createRandom(4);
    const columns = 256;
    // Row shapes: one large number, all equal, alternating signs, normal. Parallel and opposite rows have the largest
    // products.
    const shapes = [(k: number) => (k === 3 ? 1 : 0), () => 0.7, (k: number) => (-1) ** k, () => random.normal()];
    const rows = shapes.flatMap((entry) => {
      const row = Array.from({ length: columns }, (_, k) => entry(k));
      return [row, row.map((value) => -1e-6 * value)];
    });
    const all = quantiseRows(tools, floats(tools, rows.flat()), columns);
    const length = (row: number[]): number => Math.hypot(...row);
    const out = tools.floats(rows.length);
    rows.forEach((query) => {
      const asked = quantiseRows(tools, floats(tools, query), columns);
      tools.dot(asked, all, 0, rows.length, [out]);
      rows.forEach((row, n) => {
        const cosine = row.reduce((sum, value, k) => sum + value * (query[k] as number), 0) / length(row) / length(query);
        expect(Math.abs((out[n] as number) / length(row) / length(query) - cosine)).toBeLessThan(1e-4);
      });
    });
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

  test('histories spread over users and back, to the last bit and without a trace in the users\' sums', () => {
    const items = 25;
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(fc.nat(items - 1)), { maxLength: 40 }), fc.uniqueArray(fc.nat(items - 1)), fc.integer(), (lists, own, seed) => {
        const pointer = Float64Array.from([0, ...lists.map((_, user) => lists.slice(0, user + 1).flat().length)]);
        const mark = workspace.mark();
        const results = (tools: RowTools, memory: Workspace | null): unknown[] => {
          const { rows, audience } = toInteractions({ pointer, index: Int32Array.from(lists.flat()) }, items, memory);
          const random = createRandom(seed);
          const weights = floats(tools, own.map(() => Math.max(0, random.uniform() - 0.2)));
          const into = { userSums: tools.floats(lists.length), users: tools.integers(lists.length + 1), sums: tools.floats(items), found: tools.integers(items + 1) };
          const userWeight = floats(tools, lists.map((list) => list.length ** -0.5));
          const counts = tools.spreadHistory({ items: integers(tools, own), weights, count: own.length }, audience, rows, userWeight, into);
          return [counts, [...into.users.subarray(0, counts.users)], [...into.found.subarray(0, counts.items)], [...into.sums], [...into.userSums].some((sum) => sum !== 0)];
        };
        const found = results(kernels, workspace);
        expect(found).toEqual(results(plain, null));
        expect(found.at(-1)).toBe(false);
        workspace.release(mark);
      }),
    );
  });

  test('sums of touched items, with and without marks, are listed and taken to the last bit, without a trace in the sums', () => {
    const items = 25;
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(items - 1)), fc.uniqueArray(fc.nat(items - 1)), fc.uniqueArray(fc.nat(items - 1)), fc.nat(items), fc.integer(), (listed, seen, compared, wanted, seed) => {
        const mark = workspace.mark();
        const results = (tools: RowTools): unknown[] => {
          const random = createRandom(seed);
          const some = (): Float32Array => floats(tools, Array.from({ length: items }, () => random.uniform()));
          const marks = (marked: number[]): Int32Array => integers(tools, Array.from({ length: items }, (_, item) => Number(marked.includes(item))));
          const [sums, weight, scale] = [tools.floats(items), some(), some()];
          for (const item of listed) sums[item] = random.below(4) === 0 ? 0 : random.uniform();
          const [found, key, out] = [tools.integers(items + 1), tools.floats(items + 1), tools.floats(items + 1)];
          const touched = { items: integers(tools, listed), count: listed.length, sums };
          const unseen = tools.unmarkedKeys({ ...touched, marked: marks(seen) }, weight, found, key);
          const keys = [[...found.subarray(0, unseen)], [...key.subarray(0, unseen)]];
          const count = tools.takeSums(found, Math.min(wanted, unseen), { ...touched, marked: marks(compared) }, scale, out);
          return [...keys, [...found.subarray(0, count)], [...out.subarray(0, count)], sums.some((sum) => sum !== 0)];
        };
        const taken = results(kernels);
        expect(taken).toEqual(results(plain));
        expect(taken.at(-1)).toBe(false);
        workspace.release(mark);
      }),
    );
  });

  test('values of listed items and scores of a history, to the last bit', () => {
    const items = 30;
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(items - 1)), fc.uniqueArray(fc.nat(items - 1)), fc.integer(), (listed, known, seed) => {
        const mark = workspace.mark();
        const results = (tools: RowTools): unknown[] => {
          const random = createRandom(seed);
          const some = (length = items): Float32Array => floats(tools, Array.from({ length }, () => random.normal()));
          const [index, n, table] = [integers(tools, listed), listed.length, tools.floats(items)];
          const read = (write: (out: Float32Array) => void): Float32Array => {
            const out = tools.floats(items);
            write(out);
            return out;
          };
          const place = tools.integers(items).fill(-1);
          known.forEach((item, at) => { place[item] = at; });
          const spread = read((out) => tools.valuesAt({ items: integers(tools, known), weights: some(known.length), count: known.length }, table, index, n, out));
          const column = read((out) => tools.tableAt(some(), index, n, out));
          const placed = read((out) => tools.placedAt(place, some(known.length), index, n, out));
          const scores = read((out) => tools.profileScores({ spread, high: some(), column, low: some(), root: some(), normaliser: 0.7, lowPass: 0.3 }, n, out));
          const before = [...scores.subarray(0, n)];
          tools.addScaled(placed, 1.7, n, scores);
          return [[spread, column, placed].map((values) => [...values]), before, [...scores.subarray(0, n)], table.some((value) => value !== 0)];
        };
        const read = results(kernels);
        expect(read).toEqual(results(plain));
        expect(read.at(-1)).toBe(false);
        workspace.release(mark);
      }),
    );
  });

  test('weighted sums of rows, to the last bit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(fc.nat(9), { maxLength: 13 }), fc.integer(), (columns, listed, seed) => {
        const mark = workspace.mark();
        const results = (tools: RowTools): number[] => {
          const random = createRandom(seed);
          const matrix = floats(tools, Array.from({ length: 10 * columns }, () => random.normal()));
          const weights = floats(tools, listed.map(() => random.normal()));
          const out = floats(tools, Array.from({ length: columns }, () => random.normal()));
          tools.addRows({ items: integers(tools, listed), weights, count: listed.length }, matrix, out);
          return [...out];
        };
        expect(results(kernels)).toEqual(results(plain));
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
          const random = createRandom(seed);
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

  test.each([['kernels', kernels], ['plain', plain]] as const)('keys of consecutive items are those of the same items listed, to the last bit (%s)', (_, tools) => {
    const items = 30;
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(items - 1), { maxLength: items }), fc.nat(items), fc.uniqueArray(fc.nat(items - 1)), fc.integer(), (order, skipped, common, seed) => {
        const mark = workspace.mark();
        const random = createRandom(seed);
        const some = (length: number): Float32Array => floats(tools, Array.from({ length }, () => random.uniform() - 0.2));
        const first = Math.min(skipped, order.length);
        const index = integers(tools, order.slice(first));
        const place = tools.integers(items).fill(-1);
        order.forEach((item, at) => { place[item] = at; });
        const sums = tools.floats(2 * items);
        for (const item of common) sums[2 * item] = random.uniform();
        const terms = {
          damped: some(items), plain: some(items), inverseRoot: some(items), columnPower: some(items), root: some(items), normaliser: 0.7, rowPower: 1.3, lowPass: 0.3,
        };
        const [listed, consecutive] = [tools.floats(items), tools.floats(items)];
        tools.operatorKeys(index, index.length, sums, terms, listed);
        const ofOrder = (term: Float32Array): Float32Array => floats(tools, order.map((item) => term[item] as number)).subarray(first);
        const those = { place, first, count: index.length, columnPower: ofOrder(terms.columnPower), root: ofOrder(terms.root) };
        tools.comparedKeys(those, integers(tools, common), common.length, sums, terms, consecutive);
        expect([...consecutive.subarray(0, index.length)]).toEqual([...listed.subarray(0, index.length)]);
        workspace.release(mark);
      }),
    );
  });
});
