import { expect, test } from 'vitest';
import { factorise } from '../factors/factorise.ts';
import { Workspace } from '../kernels/workspace.ts';
import { createRandom } from '../linear/random.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { computeAls, usualAls } from './alsMatrix.ts';
import { regressionOf } from './regressionOf.ts';
import { createVectors, entryIndex, improveVectors, penalisedGram, type Vectors } from './leastSquares.ts';

/** Histories within one of two halves of the items; the last item has no users. */
function histories(users: number, items: number): number[][] {
  const random = createRandom(5);
  return Array.from({ length: users }, (_, user) => Array.from({ length: items - 1 }, (__, item) => item).filter((item) => item % 2 === user % 2 && random.uniform() < 0.3));
}

function sparse(lists: readonly number[][]) {
  return { pointer: Float64Array.from([0, ...lists.map((_, at) => lists.slice(0, at + 1).flat().length)]), index: Int32Array.from(lists.flat()) };
}

test.each([6, 64])('improved vectors of %i values solve the normal equations, also after few steps if they are repeated', (rank) => {
  const workspace = new Workspace();
  const settings = { confidence: 40, penalty: 30 };
  const random = createRandom(9);
  const randomVectors = (rows: number): Vectors => {
    const vectors = createVectors(workspace, rows, rank);
    for (let row = 0; row < rows; row++) for (let k = 0; k < rank; k++) vectors.values[entryIndex(vectors, row, k)] = random.normal();
    return vectors;
  };
  // Two jobs of 512 vectors and more.
  const lists = Array.from({ length: 700 }, (_, row) => [[1, 4, 7], [], [0, 19]][row % 3] as number[]);
  const [vectors, others] = [randomVectors(lists.length), randomVectors(20)];
  const { pointer, index } = sparse(lists);
  const placed = { pointer: workspace.place(pointer), index: workspace.place(index) };
  for (let round = 0; round < 60; round++) improveVectors(workspace, vectors, others, placed, settings);
  const gram = penalisedGram(workspace, others, settings.penalty);
  const size = 32 * others.panels;
  for (const row of [0, 1, 2, 510, 511, 512, 513, 697, 698, 699]) {
    const items = lists[row] as number[];
    const x = Array.from({ length: rank }, (_, k) => vectors.values[entryIndex(vectors, row, k)] as number);
    const other = (item: number, k: number): number => others.values[entryIndex(others, item, k)] as number;
    const dotOf = (item: number): number => x.reduce((sum, value, k) => sum + value * other(item, k), 0);
    for (let i = 0; i < rank; i++) {
      const left = x.reduce((sum, value, k) => sum + value * (gram[i * size + k] as number), 0) + items.reduce((sum, item) => sum + 39 * dotOf(item) * other(item, i), 0);
      const right = items.reduce((sum, item) => sum + 40 * other(item, i), 0);
      expect(Math.abs(left - right)).toBeLessThan(0.01);
    }
  }
});

test('the matrix is symmetric, 0 on its diagonal and for items without users, and connects items of one taste', () => {
  const items = 41;
  const workspace = new Workspace();
  const interactions = { ...toInteractions(sparse(histories(160, items)), items, workspace), workspace };
  const { values, place, stride } = computeAls(interactions, factorise(interactions, -0.5, 1, () => {}));
  expect(place[items - 1]).toBe(-1);
  const entry = (i: number, j: number): number => values[(place[i] as number) * stride + (place[j] as number)] as number;
  let [same, other] = [0, 0];
  for (let i = 0; i < items - 1; i++) {
    expect(entry(i, i)).toBe(0);
    for (let j = 0; j < i; j++) {
      expect(entry(i, j)).toBe(entry(j, i));
      if ((i - j) % 2 === 0) same += entry(i, j);
      else other += Math.abs(entry(i, j));
    }
  }
  expect(same).toBeGreaterThan(20 * other);
});

test('a setting has least squares with its confidence, and with the usual one if it names none', () => {
  const items = 41;
  const workspace = new Workspace();
  const interactions = { ...toInteractions(sparse(histories(160, items)), items, workspace), workspace };
  const factors = factorise(interactions, -0.5, 1, () => {});
  const ofSetting = (confidence?: number): Float32Array | undefined => regressionOf({ als: 1, ...(confidence === undefined ? {} : { confidence }) }, interactions, factors)?.values.slice();
  const of = (confidence: number): Float32Array => computeAls(interactions, factors, { ...usualAls, confidence }).values.slice();
  expect(ofSetting(5)).toEqual(of(5));
  expect(ofSetting()).toEqual(of(40));
  expect(of(5)).not.toEqual(of(40));
});
