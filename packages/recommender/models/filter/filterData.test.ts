import { describe, expect, it } from 'vitest';
import type { TrainingData } from '../../engine/data/trainingData.ts';
import { testNewItems } from './newEntities.ts';
import { filterData } from './filterData.ts';

type Entity = readonly [id: string, type: string | null, metadata?: object];

/** Data with the entities in the order of their ids, and pairs by id. */
function dataOf(entities: readonly Entity[], pairs: readonly (readonly [source: string, target: string])[], disliked: typeof pairs = []): TrainingData {
  const sorted = entities.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const types = [...new Set(sorted.flatMap(([, type]) => type ?? []))].sort();
  const numberOf = (id: string): number => sorted.findIndex(([own]) => own === id);
  const ends = (of: typeof pairs) => {
    const numbers = of.map(([source, target]) => [numberOf(source), numberOf(target)] as const).toSorted(([a], [b]) => a - b);
    return { count: of.length, source: Int32Array.from(numbers, ([source]) => source), target: Int32Array.from(numbers, ([, target]) => target) };
  };
  return {
    types,
    nodes: {
      count: sorted.length, ids: sorted.map(([id]) => id), type: Int32Array.from(sorted, ([, type]) => (type === null ? -1 : types.indexOf(type))),
      names: sorted.map(() => ''), mediaUrls: sorted.map(() => ''), metadata: sorted.map(([, , metadata]) => (metadata === undefined ? '' : JSON.stringify(metadata))),
    },
    pairs: { ...ends(pairs), time: Float64Array.from(pairs, (_, at) => at), weight: Float32Array.from(pairs, (_, at) => at + 1) },
    ...(disliked.length === 0 ? {} : { dislikes: { ...ends(disliked), weight: new Float32Array(disliked.length).fill(-1) } }),
  };
}

const films: Entity[] = [
  ['f1', 'film', { year: 1950, genres: ['drama'] }], ['f2', 'film', { year: 2001, genres: ['horror'] }], ['f3', 'film', { year: 2010, genres: [] }], ['f4', 'film', { year: 2020 }], ['f5', 'film'],
  ['u1', 'user', { country: 'NL', budget: 1990 }], ['u2', 'user', { country: 'BE', budget: 2015 }], ['u3', null], ['u4', null],
];
const data = dataOf(films, [['u1', 'f1'], ['u1', 'f2'], ['u2', 'f2'], ['u2', 'f3'], ['u3', 'f1'], ['u4', 'f3']], [['u1', 'f3'], ['u2', 'f1']]);

function left(text: string): { nodes: string; pairs: string; dislikes: string; out: [number, number] } {
  const { data: filtered, filter } = filterData(data, text);
  const { ids } = filtered.nodes;
  const shown = (pairs?: { source: Int32Array; target: Int32Array }): string => [...pairs?.source ?? []].map((source, at) => `${ids[source]}-${ids[pairs?.target[at] ?? -1]}`).join(' ');
  return { nodes: ids.join(' '), pairs: shown(filtered.pairs), dislikes: shown(filtered.dislikes), out: [filter.entities, filter.interactions] };
}

describe('the filter of a training', () => {
  it('leaves out items with their interactions, and ids that only these interactions have', () => {
    expect(left('item.year >= 2000')).toEqual({ nodes: 'f2 f3 f4 u1 u2 u4', pairs: 'u1-f2 u2-f2 u2-f3 u4-f3', dislikes: 'u1-f3', out: [2, 3] });
    expect(left('!("horror" in item.genres)')).toEqual({ nodes: 'f1 f3 f4 f5 u1 u2 u3 u4', pairs: 'u1-f1 u2-f3 u3-f1 u4-f3', dislikes: 'u1-f3 u2-f1', out: [1, 2] });
  });

  it('leaves out interactions by their source, and no item', () => {
    expect(left('user.country == "NL"')).toEqual({ nodes: 'f1 f2 f3 f4 f5 u1 u2', pairs: 'u1-f1 u1-f2', dislikes: 'u1-f3', out: [0, 5] });
    expect(left('item.year < user.budget')).toMatchObject({ pairs: 'u1-f1 u2-f2 u2-f3', dislikes: 'u2-f1' });
    expect(left('item.year >= 2000 && user.id != "u2"')).toMatchObject({ nodes: 'f2 f3 f4 u1 u2 u4', pairs: 'u1-f2 u4-f3' });
  });

  it('keeps weights and times with their pairs, and everything if it is true for everything', () => {
    const { data: filtered, filter } = filterData(data, 'item.year == 2010');
    expect([[...filtered.pairs.time], [...filtered.pairs.weight ?? []]]).toEqual([[3, 5], [4, 6]]);
    expect(filter.columns).toEqual({ 'item.year': 'number' });
    expect(filterData(data, 'item.id != ""').data).toEqual(data);
  });

  it.each([
    ['item.yaer > 2000', /no column "item.yaer". The nearest column is item.year/],
    ['user.contry == "NL"', /no column "user.contry". The nearest column is user.country/],
    ['item.year == "2000"', /number/],
    ['item.year', /its value is a number, and a bool is needed/],
  ])('refuses %s and says why', (text, reason) => {
    expect(() => filterData(data, text)).toThrow(reason);
  });

  it('refuses a filter that would take too long for the data', () => {
    expect(() => filterData(data, 'item.year < user.budget', 20)).toThrow(/at most 20 are allowed/);
    expect(() => filterData(data, 'item.year < user.budget', 100)).not.toThrow();
  });
});

describe('an item that arrives after the training', () => {
  const entity = (metadata: object) => ({ id: 'new', type: 'film', name: '', metadata: JSON.stringify(metadata) });

  it('is accepted by the conditions on items, also if the model has no such column', () => {
    const { filter } = filterData(data, 'item.year >= 2000 && !("horror" in item.genres) && user.country == "NL"');
    const accepts = testNewItems({ text: 'item.year >= 2000 && !("horror" in item.genres) && user.country == "NL"', columns: filter.columns });
    expect([{ year: 2024 }, { year: 1999 }, { genres: ['drama'] }, { year: 2024, genres: ['horror'] }, { year: 2030, genres: ['drama'] }].map((metadata) => accepts(entity(metadata)))).toEqual([true, false, false, false, true]);
  });

  it('is accepted without a filter, and by no filter that cannot be compiled', () => {
    expect([testNewItems(null)(entity({})), testNewItems({ text: 'item.gone > 1', columns: {} })(entity({ gone: 2 }))]).toEqual([true, false]);
  });
});
