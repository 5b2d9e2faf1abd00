import { readFileSync } from 'node:fs';
import { compiledKernels, compileKernels } from '../../packages/recommender/engine/kernels/compileKernels.ts';
import { expectTrue, type HeavyTest } from './heavyTest.ts';

/** Compiles the kernels and compares the result; the unit test only compares digests. */
export const kernelCompilation: HeavyTest = {
  name: 'kernelCompilation',
  guarantee: 'kernels.wasm of the recommender is, byte for byte, what its sources compile to',
  skip: async () => null,
  run: async (print) => {
    const bytes = compileKernels();
    print(`${bytes.length} bytes`);
    expectTrue('kernels.wasm differs from what its sources compile to', bytes.equals(readFileSync(compiledKernels)));
  },
};
