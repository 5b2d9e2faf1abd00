import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { symmetricEigen } from './symmetricEigen.ts';

describe('symmetricEigen', () => {
  test('knows the eigenvalues of a matrix that can be solved by hand', () => {
    const { values, vectors } = symmetricEigen(Float64Array.of(2, 1, 1, 2), 2);
    expect(values[0]).toBeCloseTo(3, 12);
    expect(values[1]).toBeCloseTo(1, 12);
    expect(Math.abs(vectors[0] as number)).toBeCloseTo(Math.SQRT1_2, 12);
  });

  test('gives orthonormal vectors that rebuild the matrix, values falling', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }).chain((size) =>
          fc.tuple(
            fc.constant(size),
            fc.array(fc.integer({ min: -20, max: 20 }), { minLength: size * size, maxLength: size * size }),
          ),
        ),
        ([size, entries]) => {
          const matrix = new Float64Array(size * size);
          for (let i = 0; i < size; i++) {
            for (let j = 0; j < size; j++) {
              matrix[i * size + j] = (entries[i * size + j] as number) + (entries[j * size + i] as number);
            }
          }
          const { values, vectors } = symmetricEigen(matrix, size);
          for (let i = 0; i < size; i++) {
            if (i > 0) expect(values[i]).toBeLessThanOrEqual(values[i - 1] as number);
            for (let j = 0; j < size; j++) {
              let rebuilt = 0;
              let product = 0;
              for (let k = 0; k < size; k++) {
                const pair = (vectors[i * size + k] as number) * (vectors[j * size + k] as number);
                rebuilt += pair * (values[k] as number);
                product += (vectors[k * size + i] as number) * (vectors[k * size + j] as number);
              }
              expect(rebuilt).toBeCloseTo(matrix[i * size + j] as number, 8);
              expect(product).toBeCloseTo(i === j ? 1 : 0, 10);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
