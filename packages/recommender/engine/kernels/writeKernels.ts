import { writeFileSync } from 'node:fs';
import { compiledKernels, compileKernels } from './compileKernels.ts';

/** Compiles the kernels anew: `node --import tsx packages/recommender/engine/kernels/writeKernels.ts`. */
const bytes = compileKernels();
writeFileSync(compiledKernels, bytes);
process.stdout.write(`kernels.wasm ${bytes.length}\n`);
