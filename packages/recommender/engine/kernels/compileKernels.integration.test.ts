import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compiledKernels, compileKernels } from './compileKernels.ts';

test('the compiled kernels are what their sources compile to; writeKernels.ts writes them anew', () => {
  expect(compileKernels().equals(readFileSync(compiledKernels))).toBe(true);
});
