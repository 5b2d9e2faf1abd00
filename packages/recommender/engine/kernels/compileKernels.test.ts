import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compiledKernels, digestKernels, kernelSources } from './compileKernels.ts';

test('kernels.wasm was compiled from the present sources, compiler and options; writeKernels.ts compiles them again', () => {
  expect(digestKernels(readFileSync(compiledKernels))).toEqual(JSON.parse(readFileSync(kernelSources, 'utf8')));
});
