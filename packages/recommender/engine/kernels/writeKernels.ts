import { writeFileSync } from 'node:fs';
import { compiledKernels, compileKernels, digestKernels, kernelSources } from './compileKernels.ts';

/** Compiles the kernels again and writes the digest of their sources: `node --import tsx packages/recommender/engine/kernels/writeKernels.ts`. */
const bytes = compileKernels();
writeFileSync(compiledKernels, bytes);
writeFileSync(kernelSources, `${JSON.stringify(digestKernels(bytes), null, 2)}\n`);
process.stdout.write(`kernels.wasm ${bytes.length}\n`);
