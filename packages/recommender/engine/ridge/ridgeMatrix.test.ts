import { expect, test } from 'vitest';
import { Workspace } from '../kernels/workspace.ts';
import { createRandom } from '../linear/random.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { computeRidge, weighByItems, type ItemMatrix } from './ridgeMatrix.ts';
import { hasFewUsers, weighByUsers } from './ridgeByUsers.ts';

const [users, items, lambda] = [300, 90, 5];

/** Histories of 90 items, the last of which has no users. */
function histories(): number[][] {
  const random = createRandom(11);
  return Array.from({ length: users }, () => Array.from({ length: items - 1 }, (_, item) => item).filter((item) => random.uniform() < 3 / (3 + item)).toReversed());
}

function rowsOf(lists: readonly number[][]) {
  return { pointer: Float64Array.from([0, ...lists.map((_, at) => lists.slice(0, at + 1).flat().length)]), index: Int32Array.from(lists.flat()) };
}

/** Regression weights of the formula, in double precision without blocks. */
function expectedWeights(lists: readonly number[][]): number[][] {
  const degree = Array.from({ length: items }, (_, item) => lists.filter((own) => own.includes(item)).length);
  const gram = Array.from({ length: items }, (_, i) => Array.from({ length: items }, (_unused, j) => (i === j ? lambda : 0)));
  for (const own of lists) for (const i of own) for (const j of own) (gram[i] as number[])[j] = (gram[i]?.[j] ?? 0) + own.length ** -0.25;
  const inverse = gram.map((_, i) => gram.map((_unused, j) => (i === j ? 1 : 0)));
  gram.forEach((pivotRow, pivot) => {
    const scale = 1 / (pivotRow[pivot] as number);
    for (const matrix of [gram, inverse]) matrix[pivot] = (matrix[pivot] as number[]).map((value) => value * scale);
    for (let row = 0; row < items; row++) {
      const factor = gram[row]?.[pivot] ?? 0;
      if (row === pivot) continue;
      for (const matrix of [gram, inverse]) matrix[row] = (matrix[row] as number[]).map((value, at) => value - factor * (matrix[pivot]?.[at] ?? 0));
    }
  });
  return inverse.map((row, i) => row.map((value, j) => (i === j || degree[j] === 0 ? 0 : (-value / (inverse[j]?.[j] ?? 1)) * (degree[j] ?? 1) ** -0.2)));
}

test.each([['items', weighByItems], ['users', weighByUsers]] as const)('the weights are those of the formula, by inversion between %s', (_, weigh) => {
  const lists = histories();
  const { pointer, index } = rowsOf(lists);
  const workspace = new Workspace();
  const degree = Array.from({ length: items - 1 }, (_unused, item) => lists.filter((own) => own.includes(item)).length);
  const values = workspace.floats(128 * 128);
  weigh(workspace, { pointer, index }, Float64Array.from(degree, (count) => count ** -0.2), Float64Array.from(lists, (own) => own.length ** -0.25), lambda, values);
  const expected = expectedWeights(lists);
  let worst = 0;
  for (const [at] of degree.entries()) {
    for (const [to] of degree.entries()) worst = Math.max(worst, Math.abs((values[at * 128 + to] as number) - (expected[at]?.[to] ?? Number.NaN)));
  }
  expect(worst).toBeLessThan(1e-5);
});

test('the matrix has the items with users, of which few users are inverted and many not', () => {
  const workspace = new Workspace();
  const ridgeOf = (lists: readonly number[][]): ItemMatrix => computeRidge({ ...toInteractions(rowsOf(lists), items, workspace), workspace }, lambda);
  const worst = (lists: readonly number[][]): number => {
    const ridge = ridgeOf(lists);
    const expected = expectedWeights(lists);
    return Math.max(...[...ridge.items].flatMap((item, at) => [...ridge.items].map((target, to) => Math.abs((ridge.values[at * ridge.stride + to] as number) - (expected[item]?.[target] ?? Number.NaN)))));
  };
  const lists = histories();
  expect(worst(lists)).toBeLessThan(1e-5);
  expect(worst(lists.slice(0, 60))).toBeLessThan(1e-5);
  expect([hasFewUsers(300, items), hasFewUsers(60, items)]).toEqual([false, true]);
  const ridge = ridgeOf(lists);
  expect([...ridge.items]).toEqual(Array.from({ length: items - 1 }, (_, item) => item));
  expect(ridge.place[items - 1]).toBe(-1);
});
