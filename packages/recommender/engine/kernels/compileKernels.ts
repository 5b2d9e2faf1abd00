import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** File of the compiled kernels. */
export const compiledKernels = new URL('./kernels.wasm', import.meta.url);

const options = [
  '-O3', '--noAssert', '--runtime', 'stub', '--importMemory', '--sharedMemory', '--initialMemory', '1',
  '--maximumMemory', '65536', '--enable', 'simd', '--enable', 'threads',
];

/**
 * Compiles the kernels in `assembly/` to WebAssembly with SIMD and up to 4 GB of shared memory. The compiler runs as a
 * separate program, because importing the compiler would add its global types to the whole project.
 * @returns bytes of the WebAssembly module
 * @throws Error with the compiler's messages
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

/** File with the digests of the kernels' sources and of the compiled kernels. */
export const kernelSources = new URL('./kernels.sources.json', import.meta.url);

/** SHA-256 digests of the kernels' inputs (sources, compiler version and options) and of the compiled bytes. */
export function digestKernels(bytes: Uint8Array): { sources: string; compiled: string } {
  const folder = new URL('./assembly/', import.meta.url);
  const compiler = new URL('../../../../node_modules/assemblyscript/package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(compiler, 'utf8')) as { version: string };
  const sources = createHash('sha256').update(JSON.stringify([version, options]));
  for (const name of readdirSync(folder).toSorted()) sources.update(`\n${name}\n`).update(readFileSync(new URL(name, folder)));
  return { sources: sources.digest('hex'), compiled: createHash('sha256').update(bytes).digest('hex') };
}
