import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { numberItems } from '../catalogue/numberItems.ts';
import { trainingData } from '../../testing/testData.ts';
import { buildHistory } from './buildHistory.ts';
import { growingIntegers } from './growingArray.ts';
import { capOf, capRows, rowLengths, toInteractions, type HistoryRows } from './interactions.ts';
import { transpose } from './transpose.ts';
import type { SparseRows } from '../data/trainedModel.ts';

const columns = 12;
const rowsArbitrary = fc.array(fc.uniqueArray(fc.nat(columns - 1)), { maxLength: 15 });

function toRows(lists: readonly (readonly number[])[]): SparseRows {
  const pointer = new Float64Array(lists.length + 1);
  lists.forEach((list, row) => (pointer[row + 1] = (pointer[row] as number) + list.length));
  return { pointer, index: Int32Array.from(lists.flat()) };
}

const toLists = ({ pointer, index }: SparseRows): number[][] =>
  Array.from({ length: pointer.length - 1 }, (_, row) => [...index.subarray(pointer[row], pointer[row + 1])]);

describe('sparse rows', () => {
  test('the transpose has the same entries, ascending, and transposing twice sorts each row', () => {
    fc.assert(
      fc.property(rowsArbitrary, (lists) => {
        const rows = toRows(lists);
        const transposed = transpose(rows, columns);
        toLists(transposed).forEach((list, column) => {
          expect(list).toEqual(lists.flatMap((row, number) => (row.includes(column) ? [number] : [])));
        });
        const sorted = lists.map((list) => list.toSorted((a, b) => a - b));
        expect(toLists(transpose(transposed, lists.length))).toEqual(sorted);
        expect([...rowLengths(rows)]).toEqual(lists.map((list) => list.length));
      }),
    );
  });

  test('a cap keeps the last entries of each row', () => {
    fc.assert(
      fc.property(rowsArbitrary, fc.integer({ min: 1, max: 6 }), (lists, limit) => {
        expect(toLists(capRows(toRows(lists), limit))).toEqual(lists.map((list) => list.slice(-limit)));
      }),
    );
  });

  test('histories without times count up to 4,000 items, unless that takes too many additions', () => {
    const rowsOf = (lengths: readonly number[], time: number | undefined): HistoryRows => {
      const rows = toRows(lengths.map((length) => Array.from({ length }, (_, item) => item)));
      return time === undefined ? rows : { ...rows, time: new Float64Array(rows.index.length).fill(time) };
    };
    const unknown = Number.NaN;
    expect(capOf(rowsOf([600, 3], unknown))).toBe(4000);
    expect(capOf(rowsOf([600, 3], 1))).toBe(500);
    expect(capOf(rowsOf([600, 3], undefined))).toBe(500);
    // 4,000 squared is 1.6e7, whatever the length above.
    expect(capOf(rowsOf([5000, 5000, 5000], unknown))).toBe(4000);
    expect(capOf(rowsOf([5000, 5000, 5000, 4000], unknown))).toBe(500);
    const partly = rowsOf([600, 3], unknown);
    partly.time?.set([7], 600);
    expect(capOf(partly)).toBe(500);
    expect([...toInteractions(rowsOf([600, 3], unknown), 600, null).userDegree]).toEqual([600, 3]);
    expect(toInteractions(rowsOf([600, 3], 1), 600, null)).toMatchObject({ cap: 500, userDegree: Float64Array.of(500, 3) });
    expect([...toInteractions(rowsOf([600, 3], unknown), 600, null, true, 500).userDegree]).toEqual([500, 3]);
  });

  test('a growing array returns what was pushed, over several chunks', () => {
    const numbers = growingIntegers();
    const count = 300_000;
    for (let n = 0; n < count; n++) numbers.push(n ^ 5);
    const all = numbers.take();
    expect(all.length).toBe(count);
    expect(all.every((value, n) => value === (n ^ 5))).toBe(true);
  });
});

describe('histories', () => {
  test('are in time order with unknown times first', () => {
    const data = trainingData([], [['u', 'b', 3], ['u', 'a', 1], ['u', 'c']]);
    const catalogue = numberItems(data);
    const history = buildHistory(data, catalogue);
    const ids = Array.from(history.index, (item) => data.nodes.ids[catalogue.itemNode[item] as number]);
    expect(ids).toEqual(['c', 'a', 'b']);
    expect([...history.time]).toEqual([Number.NaN, 1, 3]);
  });

  test('begin with the source itself where the source can be recommended', () => {
    const data = trainingData([['m1', 'film'], ['m2', 'film'], ['m3', 'film']], [['m1', 'm2'], ['m3', 'm2']]);
    const catalogue = numberItems(data);
    expect([...buildHistory(data, catalogue).index]).toEqual([0, 1, 2, 1]);
  });
});

describe('items', () => {
  test('are targets and entities of their types; sources without an entity row are none', () => {
    const data = trainingData([['m1', 'film'], ['m2', 'film'], ['p1', 'person']], [['x', 'm1'], ['x', 'unlisted']]);
    const { itemNode, targetTypes, userNode } = numberItems(data);
    expect(Array.from(itemNode, (node) => data.nodes.ids[node])).toEqual(['m1', 'm2', 'unlisted']);
    expect([...targetTypes]).toEqual([-1, 0]);
    expect(Array.from(userNode, (node) => data.nodes.ids[node])).toEqual(['x']);
  });
});
