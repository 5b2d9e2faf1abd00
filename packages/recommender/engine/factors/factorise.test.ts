import { describe, expect, test } from 'vitest';
import { createRandom } from '../linear/random.ts';
import { symmetricEigen } from '../linear/symmetricEigen.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { factorise, factorRank } from './factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';

function randomInteractions(users: number, items: number, share: number, seed: number): Interactions {
  const random = createRandom(seed);
  const pointer = new Float64Array(users + 1);
  const index: number[] = [];
  for (let user = 0; user < users; user++) {
    for (let item = 0; item < items; item++) if (random.uniform() < share) index.push(item);
    pointer[user + 1] = index.length;
  }
  return toInteractions({ pointer, index: Int32Array.from(index) }, items);
}

/** `X^T X`, computed directly from its definition. */
function denseGram({ users, items, rows, userDegree, itemDegree }: Interactions, pu: number): Float64Array {
  const gram = new Float64Array(items * items);
  for (let user = 0; user < users; user++) {
    const own = rows.index.subarray(rows.pointer[user], rows.pointer[user + 1]);
    for (const a of own) {
      for (const b of own) {
        const root = Math.sqrt((itemDegree[a] as number) * (itemDegree[b] as number));
        const weight = (userDegree[user] as number) ** pu / root;
        gram[a * items + b] = (gram[a * items + b] as number) + weight;
      }
    }
  }
  return gram;
}

describe('factorise', () => {
  test.each([-1, -0.5, 0])('finds the leading eigenvectors of a dense decomposition (pu = %f)', (pu) => {
    const interactions = randomInteractions(60, 40, 0.2, 3);
    const { rank, vectors, eigenvalues, largestEigenvalue } = factorise(interactions, pu, 1, () => {});
    const dense = symmetricEigen(denseGram(interactions, pu), 40);
    expect(rank).toBe(10);
    expect(largestEigenvalue).toBeCloseTo(dense.values[0] as number, 5);
    for (let k = 0; k < rank; k++) {
      expect(eigenvalues[k]).toBeCloseTo((dense.values[k] as number) / (dense.values[0] as number), 4);
      let dot = 0;
      for (let item = 0; item < 40; item++) {
        dot += (vectors[item * rank + k] as number) * (dense.vectors[item * 40 + k] as number);
      }
      expect(Math.abs(dot)).toBeGreaterThan(0.998);
    }
  });

  test('drops directions that the data does not have', () => {
    const index = Int32Array.of(0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7);
    const rows = { pointer: Float64Array.of(0, 4, 8, 12, 16), index };
    const { rank, vectors, eigenvalues } = factorise(toInteractions(rows, 8), -0.5, 1, () => {});
    expect(rank).toBe(4);
    expect(eigenvalues[0]).toBe(1);
    expect(eigenvalues[1]).toBeCloseTo(1, 6);
    expect([...eigenvalues.subarray(2)]).toEqual([0, 0]);
    for (let item = 0; item < 8; item++) expect([...vectors.subarray(item * 4 + 2, item * 4 + 4)]).toEqual([0, 0]);
  });

  test('takes a quarter of items or users as the rank, at most 256, at least 8 of what there is', () => {
    const ofSize = (users: number, items: number): number =>
      factorRank({ users, itemDegree: new Float64Array(items).fill(1) } as Interactions);
    expect([ofSize(100_000, 100_000), ofSize(400, 1000), ofSize(20, 1000), ofSize(3, 1000), ofSize(5, 1), ofSize(0, 0)])
      .toEqual([256, 100, 8, 3, 1, 0]);
  });

  test('gives the same bytes for the same seed', () => {
    const interactions = randomInteractions(50, 30, 0.2, 8);
    expect(factorise(interactions, -0.5, 4, () => {})).toEqual(factorise(interactions, -0.5, 4, () => {}));
  });
});

test.each([[0.02, 'damped'], [0.5, 'undamped']])('reports rising fractions that reach 1 with the last product (share %d, %s)', (share, rounds) => {
  const interactions = randomInteractions(200, 96, share, 5);
  const fractions: number[] = [];
  const { products } = factorise({ ...interactions, workspace: null }, -0.5, 1, (fraction) => fractions.push(fraction));
  if (rounds === 'damped') expect(products).toBeGreaterThan(5);
  else expect(products).toBe(5);
  expect(fractions.every((fraction, at) => at === 0 || fraction > (fractions[at - 1] as number))).toBe(true);
  expect(fractions.at(-1)).toBeGreaterThan(0.99);
});

test('separates the close eigenvalues of sparse data in few rounds', () => {
  const random = createRandom(9);
  const [users, items, own] = [300, 240, 3];
  const index = Int32Array.from({ length: users * own }, (_, at) => (at % own) * (items / own) + random.below(items / own));
  const interactions = toInteractions({ pointer: Float64Array.from({ length: users + 1 }, (_, user) => own * user), index }, items, null);
  const captured = (rounds?: number): number => {
    const { eigenvalues, largestEigenvalue } = factorise(interactions, -0.5, 3, () => {}, rounds);
    return eigenvalues.reduce((sum, value) => sum + value * largestEigenvalue, 0);
  };
  expect(captured() / captured(16)).toBeGreaterThan(0.998);
});
