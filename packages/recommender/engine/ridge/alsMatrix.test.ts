import { expect, test } from 'vitest';
import { factorise } from '../factors/factorise.ts';
import { Workspace } from '../kernels/workspace.ts';
import { createRandom } from '../linear/random.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { computeAls } from './alsMatrix.ts';
import { improveVectors, penalisedGram } from './leastSquares.ts';

/** Histories within one of two halves of the items; the last item has no users. */
function histories(users: number, items: number): number[][] {
  const random = createRandom(5);
  return Array.from({ length: users }, (_, user) => Array.from({ length: items - 1 }, (__, item) => item).filter((item) => item % 2 === user % 2 && random.uniform() < 0.3));
}

function sparse(lists: readonly number[][]) {
  return { pointer: Float64Array.from([0, ...lists.map((_, at) => lists.slice(0, at + 1).flat().length)]), index: Int32Array.from(lists.flat()) };
}

test('improved vectors solve the normal equations, also after few steps if they are repeated', () => {
  const rank = 6;
  const settings = { rank, confidence: 40, penalty: 30 };
  const random = createRandom(9);
  const others = Float32Array.from({ length: 20 * rank }, () => random.normal());
  const lists = [[1, 4, 7], [], [0, 19]];
  const vectors = new Float32Array(3 * rank).fill(0.5);
  for (let round = 0; round < 20; round++) improveVectors(vectors, others, sparse(lists), settings);
  const gram = penalisedGram(others, rank, settings.penalty);
  lists.forEach((items, row) => {
    const x = vectors.subarray(row * rank, (row + 1) * rank);
    const dotOf = (item: number): number => x.reduce((sum, value, k) => sum + value * (others[item * rank + k] as number), 0);
    for (let i = 0; i < rank; i++) {
      const left = x.reduce((sum, value, k) => sum + value * (gram[i * rank + k] as number), 0) + items.reduce((sum, item) => sum + 39 * dotOf(item) * (others[item * rank + i] as number), 0);
      const right = items.reduce((sum, item) => sum + 40 * (others[item * rank + i] as number), 0);
      expect(left).toBeCloseTo(right, 2);
    }
  });
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
