import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { Workspace } from '../kernels/workspace.ts';
import { createRandom } from '../linear/random.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { factorise } from './factorise.ts';
import { KernelBlock } from './kernelBlock.ts';
import { PlainBlock } from './plainBlock.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import type { VectorBlock } from './vectorBlock.ts';

function randomRows(users: number, items: number, share: number, seed: number): SparseRows {
  const random = createRandom(seed);
  const lists = Array.from({ length: users }, () => [...Array(items).keys()].filter(() => random.uniform() < share));
  return { pointer: Float64Array.from([0, ...lists.map((_, user) => lists.slice(0, user + 1).reduce((n, list) => n + list.length, 0))]), index: Int32Array.from(lists.flat()) };
}

/** Results of each step of a block. An identity rotation reads all of V; the block cannot be used afterwards. */
function results(make: () => VectorBlock, columns: number, root: number): { multiplied: Float32Array; orthonormal: Float32Array; ritz: Float64Array; rotated: Float32Array } {
  const unit = Float64Array.from({ length: columns * columns }, (_, place) => (place % (columns + 1) === 0 ? 1 : 0));
  const some = Float64Array.from({ length: columns * 3 }, (_, place) => Math.sin(place + 1));
  const [first, second, third] = [make(), make(), make()];
  for (const block of [first, second, third]) block.multiply(root);
  for (const block of [second, third]) block.orthonormalise();
  return {
    multiplied: first.rotate(unit, columns),
    orthonormal: second.rotate(unit, columns),
    ritz: third.ritzMatrix(),
    rotated: third.rotate(some, 3),
  };
}

function expectClose(found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  expect(found.length).toBe(expected.length);
  for (let k = 0; k < expected.length; k++) expect(Math.abs((found[k] ?? 0) - (expected[k] ?? 0))).toBeLessThan(tolerance);
}

describe('the kernels of a block of vectors', () => {
  test('do what their plain twins do, for all shapes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 200 }), fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(32, 64)), fc.integer(), fc.constantFrom(0, 0.05),
        (users, items, wanted, seed, root) => {
          const rows = randomRows(users, items, 0.3, seed);
          // At most as many columns as can be linearly independent: all further columns would be zero.
          const columns = Math.max(1, Math.min(wanted, Math.floor(Math.min(users, items) / 3)));
          const workspace = new Workspace();
          const drawOf = (random: SeededRandom) => () => random.normal();
          const expected = results(() => new PlainBlock(toInteractions(rows, items, null), -0.5, columns, drawOf(createRandom(seed))), columns, root);
          const interactions = toInteractions(rows, items, workspace);
          const found = results(() => new KernelBlock(interactions, workspace, -0.5, columns, drawOf(createRandom(seed))), columns, root);
          const largest = expected.multiplied.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
          expectClose(found.multiplied, expected.multiplied, 1e-5 * largest);
          expectClose(found.orthonormal, expected.orthonormal, 1e-3);
          expectClose(found.ritz, expected.ritz, 1e-3);
          expectClose(found.rotated, expected.rotated, 2e-3);
        },
      ),
      { numRuns: 16 },
    );
  });

  test('find the factors that the plain twins find', () => {
    const rows = randomRows(400, 300, 0.1, 5);
    const plain = factorise(toInteractions(rows, 300, null), -0.5, 3, () => {});
    const kernel = factorise(toInteractions(rows, 300, new Workspace()), -0.5, 3, () => {});
    expect(kernel.rank).toBe(75);
    expect(kernel.largestEigenvalue).toBeCloseTo(plain.largestEigenvalue, 5);
    expectClose(kernel.eigenvalues, plain.eigenvalues, 1e-5);
    for (let k = 0; k < kernel.rank; k++) {
      let cosine = 0;
      for (let item = 0; item < 300; item++) cosine += (kernel.vectors[item * 75 + k] ?? 0) * (plain.vectors[item * 75 + k] ?? 0);
      expect(Math.abs(cosine)).toBeGreaterThan(0.99);
    }
  });

  test('drop directions that the data does not have, as the twins do', () => {
    // Two kinds of users, so the rank is 2 for any number of requested columns.
    const lists = Array.from({ length: 200 }, (_, user) => Array.from({ length: 40 }, (_unused, n) => (user % 2) * 40 + n));
    const rows = { pointer: Float64Array.from({ length: 201 }, (_, user) => 40 * user), index: Int32Array.from(lists.flat()) };
    const { eigenvalues, vectors, rank } = factorise(toInteractions(rows, 80, new Workspace()), -0.5, 1, () => {});
    expect(rank).toBe(20);
    expect(eigenvalues[0]).toBe(1);
    expect(eigenvalues[1]).toBeCloseTo(1, 5);
    expect([...eigenvalues.subarray(2)]).toEqual(Array(18).fill(0));
    for (let item = 0; item < 80; item++) expect([...vectors.subarray(item * 20 + 2, item * 20 + 20)]).toEqual(Array(18).fill(0));
  });

  test('give the same bytes again', () => {
    const rows = randomRows(200, 150, 0.2, 7);
    const once = factorise(toInteractions(rows, 150, new Workspace()), -0.5, 3, () => {});
    expect(factorise(toInteractions(rows, 150, new Workspace()), -0.5, 3, () => {})).toEqual(once);
  });
});
