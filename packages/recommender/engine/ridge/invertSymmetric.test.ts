import { expect, test } from 'vitest';
import { Workspace } from '../kernels/workspace.ts';
import { createRandom } from '../linear/random.ts';
import { invertSymmetric, paddedSize, panelIndex } from './invertSymmetric.ts';

/** A Gram matrix with a ridge: positive definite, with eigenvalues over three orders of magnitude. */
function gramOf(size: number, rows: number, ridge: number): Float64Array {
  const random = createRandom(size);
  const matrix = new Float64Array(size * size);
  for (let row = 0; row < rows; row++) {
    const own = Array.from({ length: size }, (_, item) => item).filter((item) => random.uniform() < 4 / (4 + item));
    for (const i of own) for (const j of own) matrix[i * size + j] = (matrix[i * size + j] as number) + 1;
  }
  for (let i = 0; i < size; i++) matrix[i * size + i] = (matrix[i * size + i] as number) + ridge;
  return matrix;
}

test.each([[64], [192], [256]])('the product of a matrix of %i columns and its inverse is the identity', (size) => {
  const matrix = gramOf(size, 500, 10);
  const workspace = new Workspace();
  const swept = workspace.floats(size * size);
  // Entries above the diagonal must not count.
  swept.fill(Number.NaN);
  for (let i = 0; i < size; i++) for (let j = 0; j <= i; j++) swept[panelIndex(size, i, j)] = matrix[i * size + j] as number;
  invertSymmetric(workspace, swept, size);
  let worst = 0;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      let sum = 0;
      for (let k = 0; k < size; k++) sum -= (matrix[i * size + k] as number) * (swept[panelIndex(size, Math.max(k, j), Math.min(k, j))] as number);
      worst = Math.max(worst, Math.abs(sum - (i === j ? 1 : 0)));
    }
  }
  expect(worst).toBeLessThan(2e-4);
});

test('a size is padded to whole steps', () => {
  expect([1, 64, 65].map(paddedSize)).toEqual([64, 64, 128]);
});
