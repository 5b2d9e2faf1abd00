import { describe, expect, test } from 'vitest';
import { trainOn, filmData } from '../../testing/filmData.ts';
import { withModel } from '../../testing/withModel.ts';
import type { ColumnValue } from '../data/column.ts';
import { ItemColumns } from './itemColumns.ts';
import { UserColumns } from './userColumns.ts';

/** Opens a model of films whose metadata are the given objects; further films have none. */
async function withMetadata<Result>(films: readonly unknown[], users: readonly unknown[], use: (columns: ItemColumns, userColumns: (user: number) => ReadonlyMap<string, ColumnValue>) => Result): Promise<Result> {
  const data = filmData(40, 20, 1);
  const metadata = data.nodes.ids.map((_, node) => {
    const value = node < 40 ? films[node] : users[node - 40];
    return value === undefined ? '' : JSON.stringify(value);
  });
  return withModel(trainOn({ ...data, nodes: { ...data.nodes, metadata } }), (reader) => {
    const facts = reader.facts.columns ?? null;
    const userColumns = new UserColumns(reader.file, facts);
    return use(new ItemColumns(reader.file, facts), (user) => userColumns.read(reader.findNode(`user ${String(user).padStart(3, '0')}`)));
  });
}

const all = (object: unknown): unknown[] => Array.from({ length: 40 }, () => object);

describe('columns of a model file', () => {
  test('have the type of their values, and give back each value', async () => {
    const films = [
      { price: 9.99, year: 1999, isNew: true, tags: ['a', 'b'], sizes: [1, 2.5], released: '1999-03-31', maker: 'Acme', mixed: 3, brand: { name: 'X' } },
      { price: 0, year: 2000, isNew: false, tags: 'c', sizes: 7, released: '2000-01-01T10:00:00+02:00', maker: ' Béla ', mixed: 'three', brand: { name: 'Y' } },
      { price: null, tags: [], maker: '' },
    ];
    await withMetadata([...films, ...all({ price: 1, maker: 'Acme' })].slice(0, 40), [], (columns) => {
      const typeOf = Object.fromEntries((columns.facts?.items ?? []).map(({ name, type, sparse }) => [name, `${type}${sparse === true ? ' sparse' : ''}`]));
      expect(typeOf).toEqual({
        'brand.name': 'string sparse', isNew: 'bool sparse', maker: 'string', mixed: 'string sparse', price: 'number', released: 'timestamp sparse',
        sizes: 'list<number> sparse', tags: 'list<string> sparse', year: 'number sparse',
      });
      const values = (name: string): ColumnValue[] => [0, 1, 2, 3].map((item) => columns.open(name)?.read(item));
      expect(values('price')).toEqual([9.99, 0, undefined, 1]);
      expect(values('year')).toEqual([1999, 2000, undefined, undefined]);
      expect(values('isNew')).toEqual([true, false, undefined, undefined]);
      expect(values('tags')).toEqual([['a', 'b'], ['c'], [], undefined]);
      expect(values('sizes')).toEqual([[1, 2.5], [7], undefined, undefined]);
      expect(values('released')).toEqual([Date.UTC(1999, 2, 31), Date.UTC(2000, 0, 1, 8), undefined, undefined]);
      expect(values('maker')).toEqual(['Acme', 'Béla', undefined, 'Acme']);
      expect(values('mixed')).toEqual(['3', 'three', undefined, undefined]);
      expect(values('brand.name')).toEqual(['X', 'Y', undefined, undefined]);
      expect(columns.open('nothing')).toBeNull();
    });
  });

  test('omit long texts with the reason, and keep at most 128 columns', async () => {
    const wide = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`c${String(at).padStart(3, '0')}`, at]));
    await withMetadata(all({ story: 'x'.repeat(300), ...wide }), [], (columns) => {
      expect(columns.facts?.items).toHaveLength(128);
      const omitted = new Map(columns.facts?.omitted.map(({ name, reason }) => [name, reason]));
      expect(omitted.get('story')).toBe('most of its texts have more than 256 characters');
      expect(omitted.get('c149')).toBe('128 columns with more values are kept');
    });
  });

  test('of users are read from their metadata', async () => {
    await withMetadata([], [{ budget: 20, likes: ['drama'] }, { budget: 5 }], (_, userColumns) => {
      expect([...userColumns(0)]).toEqual([['budget', 20], ['likes', ['drama']]]);
      expect([...userColumns(1)]).toEqual([['budget', 5]]);
      expect([...userColumns(2)]).toEqual([]);
    });
  });
});
