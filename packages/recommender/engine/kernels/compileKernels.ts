import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the compiled kernels are kept. */
export const compiledKernels = new URL('./kernels.wasm', import.meta.url);

const options = [
  '-O3', '--noAssert', '--runtime', 'stub', '--importMemory', '--sharedMemory', '--initialMemory', '1',
  '--maximumMemory', '65536', '--enable', 'simd', '--enable', 'threads',
];

/**
 * Compiles the kernels from `assembly/` to WebAssembly with SIMD on shared memory of up to 4 GB. The compiler is a program of
 * its own here, for its types would change those of everything else.
 * @throws Error with what the compiler says
 */
export function compileKernels(): Buffer {
  const compiler = fileURLToPath(new URL('../../../../node_modules/assemblyscript/bin/asc.js', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'kernels-'));
  try {
    const file = join(folder, 'kernels.wasm');
    execFileSync(process.execPath, [compiler, 'assembly/kernels.ts', ...options, '--outFile', file], {
      cwd: dirname(fileURLToPath(import.meta.url)),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Where the digest of the sources of the compiled kernels is kept. */
export const kernelSources = new URL('./kernels.sources.json', import.meta.url);

/** What the compiled kernels depend on, and what they are: SHA-256 of sources with the compiler's version and options, and of the bytes. */
export function digestKernels(bytes: Uint8Array): { sources: string; compiled: string } {
  const folder = new URL('./assembly/', import.meta.url);
  const compiler = new URL('../../../../node_modules/assemblyscript/package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(compiler, 'utf8')) as { version: string };
  const sources = createHash('sha256').update(JSON.stringify([version, options]));
  for (const name of readdirSync(folder).toSorted()) sources.update(`\n${name}\n`).update(readFileSync(new URL(name, folder)));
  return { sources: sources.digest('hex'), compiled: createHash('sha256').update(bytes).digest('hex') };
}
