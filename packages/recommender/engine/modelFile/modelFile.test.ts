import { mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SparseRows, TrainedModel } from '../data/trainedModel.ts';
import { openModel, type ModelReader } from './openModel.ts';
import { randomModel } from '../../testing/randomModel.ts';
import { writeSectionFile } from './sectionFile.ts';
import { Row, type RowTable } from './wordRows.ts';
import { writeModel } from '../writeModel.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'model-'));
});
afterAll(() => rm(folder, { recursive: true }));

const awkwardIds = ['a,b', 'say "x"', 'two\nlines', 'nul\0inside', 'é', '🎬🍿', ' spaces ', 'x'.repeat(1024), '=1+1', '\r'];

const shape = fc.record({
  ids: fc.uniqueArray(fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), fc.constantFrom(...awkwardIds)), {
    maxLength: 40,
  }),
  types: fc.integer({ min: 0, max: 3 }),
  itemShare: fc.double({ min: 0, max: 1, noNaN: true }),
  attributes: fc.integer({ min: 0, max: 8 }),
  rank: fc.integer({ min: 0, max: 5 }),
  seed: fc.integer(),
});

/** Entries of one row of a table, plane by plane, with the indexes first. */
function readRow(table: RowTable, at: number, planes: number): number[][] {
  const row = new Row();
  table.read(at, row);
  const floats = Array.from({ length: planes }, (_, plane) => {
    const start = row.start + row.count * (plane + 1);
    return [...row.floats.subarray(start, start + row.count)];
  });
  return [[...row.ints.subarray(row.start, row.start + row.count)], ...floats];
}

function rowOf(rows: SparseRows, at: number, planes: Float32Array[]): number[][] {
  const start = rows.pointer[at] ?? 0;
  const end = rows.pointer[at + 1] ?? 0;
  return [rows.index, ...planes].map((plane) => [...plane.subarray(start, end)]);
}

function expectSame(reader: ModelReader, model: TrainedModel): void {
  const { nodes, operator, related, attributes, rank } = model;
  for (let node = 0; node < nodes.count; node += 1) {
    expect(reader.findNode(nodes.ids[node] ?? '')).toBe(node);
    expect(reader.ids.get(node)).toBe(nodes.ids[node]);
    expect(reader.names.get(node)).toBe(nodes.names[node]);
    expect(reader.mediaUrls.get(node)).toBe(nodes.mediaUrls[node]);
  }
  const row = new Row();
  for (let item = 0; item < model.itemNode.length; item += 1) {
    expect(readRow(reader.operator, item, 2)).toEqual(rowOf(operator, item, [operator.value, operator.score]));
    expect(readRow(reader.related, item, 2)).toEqual(rowOf(related, item, [related.value, related.score]));
    if (reader.transitions !== null) expect(readRow(reader.transitions, item, 1)).toEqual(rowOf(model.transitions, item, [model.transitions.value]));
    expect(readRow(reader.audience, item, 0)).toEqual(rowOf(model.audience, item, []));
    expect(readRow(reader.attributes, item, 1)).toEqual(rowOf(attributes, item, [attributes.value]));
    reader.readEmbedding(item, row);
    expect(row.floats.slice(row.start, row.start + rank)).toEqual(model.embedding.slice(item * rank, (item + 1) * rank));
  }
  for (let user = 0; user < model.userNode.length; user += 1) {
    expect(readRow(reader.history, user, 0)).toEqual(rowOf(model.history, user, []));
  }
  for (const [at, text] of attributes.text.entries()) {
    expect([reader.attributeFields.get(at), reader.attributeTexts.get(at)]).toEqual([attributes.field[at], text]);
    reader.readRidge(at, row);
    expect(row.floats.slice(row.start, row.start + rank)).toEqual(model.ridge.slice(at * rank, (at + 1) * rank));
  }
  expect(reader.facts.types).toEqual(model.types);
  expect(reader.facts.targetTypes).toEqual([...model.targetTypes]);
  expect(reader.facts.newest ?? Number.NaN).toBe(model.newest);
  for (const name of ['itemNode', 'nodeItem', 'userNode', 'nodeUser', 'trend', 'current', 'contentWeight'] as const) {
    expect(reader[name], name).toEqual(model[name]);
  }
}

describe('a model file', () => {
  test('gives back the model, whether its sections are in memory or read by offset', async () => {
    await fc.assert(
      fc.asyncProperty(shape, fc.constantFrom(0, 500, 2 ** 28), async (shape, memoryBytes) => {
        const model = randomModel(shape);
        const path = join(folder, 'property');
        await writeModel(model, path);
        const reader = await openModel(path, { memoryBytes });
        expectSame(reader, model);
        await reader.close();
      }),
      { numRuns: 60 },
    );
  });

  test('has the same bytes for the same model', async () => {
    const model = randomModel({ ids: awkwardIds, types: 2, itemShare: 0.7, attributes: 5, rank: 4, seed: 3 });
    await writeModel(model, join(folder, 'one'));
    await writeModel(model, join(folder, 'two'));
    expect(await readFile(join(folder, 'one'))).toEqual(await readFile(join(folder, 'two')));
  });

  test('lists trending items by type with falling trend and leaves out those without one', async () => {
    const model = randomModel({ ids: awkwardIds, types: 2, itemShare: 1, attributes: 0, rank: 0, seed: 5 });
    await writeModel(model, join(folder, 'trending'));
    const reader = await openModel(join(folder, 'trending'));
    const listed: number[] = [];
    for (let group = 0; group < 3; group += 1) {
      const items = reader.trending.subarray(reader.trendingPointer[group], reader.trendingPointer[group + 1]);
      const trends = Array.from(items, (item) => model.trend[item] ?? 0);
      expect(trends).toEqual([...trends].sort((a, b) => b - a));
      for (const item of items) expect(reader.typeOfItem(item)).toBe(group - 1);
      listed.push(...items);
    }
    expect(listed.sort((a, b) => a - b)).toEqual([...model.trend.keys()].filter((item) => (model.trend[item] ?? 0) > 0));
    await reader.close();
  });

  test('holds per user the sum of the vectors of its latest items over the square root of their users', async () => {
    const model = randomModel({ ids: awkwardIds, types: 1, itemShare: 0.5, attributes: 0, rank: 3, seed: 8 });
    model.historyCap = 2;
    await writeModel(model, join(folder, 'users'));
    const reader = await openModel(join(folder, 'users'));
    const latest = model.userNode.length === 0 ? [] : [...Array(model.userNode.length).keys()].map((user) =>
      [...model.history.index.subarray(model.history.pointer[user], model.history.pointer[user + 1])].slice(-2));
    const degree = (item: number) => latest.filter((items) => items.includes(item)).length;
    const row = new Row();
    expect(latest.some((items) => items.length === 2)).toBe(true);
    for (const [user, items] of latest.entries()) {
      reader.readUserFactor(user, row);
      for (let k = 0; k < 3; k += 1) {
        const sum = items.reduce((sum, item) => sum + (model.vectors[item * 3 + k] ?? 0) / Math.sqrt(degree(item)), 0);
        expect(row.floats[row.start + k]).toBeCloseTo(sum, 5);
      }
    }
    await reader.close();
  });

  test('is not written from nodes out of order', async () => {
    const model = randomModel({ ids: ['a', 'b'], types: 1, itemShare: 1, attributes: 0, rank: 0, seed: 1 });
    const swapped = { ...model, nodes: { ...model.nodes, ids: ['b', 'a'] } };
    await expect(writeModel(swapped, join(folder, 'swapped'))).rejects.toThrow('byte order');
  });

  test('is refused when its arrays contradict its counts, or sections are missing', async () => {
    const model = randomModel({ ids: awkwardIds, types: 1, itemShare: 1, attributes: 0, rank: 0, seed: 1 });
    const path = join(folder, 'contradiction');
    await writeModel({ ...model, nodeUser: new Int32Array(1) }, path);
    await expect(openModel(path)).rejects.toThrow('node.user has 1 elements instead of 10');
    await writeSectionFile(path, { format: 'recommender-model', version: 1, facts: {}, sections: {} });
    await expect(openModel(path)).rejects.toThrow('it has no section node.index');
  });

  test('that shrinks under an open reader gives a problem, not wrong rows', async () => {
    const model = randomModel({ ids: awkwardIds, types: 1, itemShare: 1, attributes: 3, rank: 2, seed: 1 });
    const path = join(folder, 'shrinking');
    await writeModel(model, path);
    const reader = await openModel(path, { memoryBytes: 0 });
    await truncate(path, Math.floor((await stat(path)).size / 8));
    expect(() => reader.readRidge(0, new Row())).toThrow('ends inside its section attribute.ridge');
    await reader.close();
  });
});
