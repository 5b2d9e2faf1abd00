import { writeFileSync } from 'node:fs';
import { compiledKernels, compileKernels, digestKernels, kernelSources } from './compileKernels.ts';

/**
 * Compiles the kernels and writes the digests of their sources and bytes: `node --import tsx
 * packages/recommender/engine/kernels/writeKernels.ts`.
 */
const bytes = compileKernels();
writeFileSync(compiledKernels, bytes);
writeFileSync(kernelSources, `${JSON.stringify(digestKernels(bytes), null, 2)}\n`);
process.stdout.write(`kernels.wasm ${bytes.length}\n`);
