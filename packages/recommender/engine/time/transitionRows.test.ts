import { describe, expect, test } from 'vitest';
import { numberItems } from '../catalogue/numberItems.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { trainingData, type PairRow } from '../../testing/testData.ts';
import { operatorWeights } from './historyWeights.ts';
import { transitionRows } from './transitionRows.ts';

function rowsOf(pairs: readonly PairRow[]): (id: string) => Record<string, number> {
  const data = trainingData([], pairs);
  const catalogue = numberItems(data);
  const { pointer, index, value } = transitionRows(buildHistory(data, catalogue), catalogue.itemGroup, catalogue.targetTypes.length);
  const name = (item: number): string => data.nodes.ids[catalogue.itemNode[item] as number] as string;
  return (id) => {
    const item = catalogue.nodeItem[data.nodes.ids.indexOf(id)] as number;
    const own: Record<string, number> = {};
    for (let at = pointer[item] as number; at < (pointer[item + 1] as number); at++) own[name(index[at] as number)] = value[at] as number;
    return own;
  };
}

describe('transitions', () => {
  test('are those of the formula, computed by hand', () => {
    // Forward: N[a,b] = 1, N[a,c] = 1/2, N[b,c] = 1. Backward: N[b,a] = .3, N[c,b] = .3, N[c,a] = .15.
    const row = rowsOf([['u', 'a', 1], ['u', 'b', 2], ['u', 'c', 3]]);
    const columns = { a: 0.45, b: 1.3, c: 1.5 };
    expect(row('a')['b']).toBeCloseTo(1 * 1.5 ** -0.8 * columns.b ** -0.2, 6);
    expect(row('a')['c']).toBeCloseTo(0.5 * 1.5 ** -0.8 * columns.c ** -0.2, 6);
    expect(row('b')['a']).toBeCloseTo(0.3 * 1.3 ** -0.8 * columns.a ** -0.2, 6);
    expect(row('c')['a']).toBeCloseTo(0.15 * 0.45 ** -0.8 * columns.a ** -0.2, 6);
  });

  test('go ahead more than back', () => {
    const row = rowsOf(Array.from({ length: 5 }, (_, user): PairRow[] => ['a', 'b', 'c'].map((item, at): PairRow => [`u${user}`, item, at])).flat());
    expect(row('b')['c']).toBeGreaterThan(1.5 * (row('b')['a'] ?? 1));
  });

  test('end after ten steps, and leave out what has no time', () => {
    const timed = Array.from({ length: 13 }, (_, at): PairRow => ['u', `item-${String(at).padStart(2, '0')}`, at]);
    const row = rowsOf([...timed, ['u', 'untimed']]);
    expect(Object.keys(row('item-00'))).not.toContain('item-11');
    expect(Object.keys(row('item-00'))).toContain('item-10');
    expect(row('untimed')).toEqual({});
    expect(Object.keys(row('item-01'))).not.toContain('untimed');
  });
});

test('the latest item weighs 1 and the ones before it less, or all the same', () => {
  expect([...operatorWeights(3, true)]).toEqual([3 ** -0.5, 2 ** -0.5, 1]);
  expect([...operatorWeights(3, false)]).toEqual([1, 1, 1]);
});
