// Runs TypeScript as the build compiles it: `node --import ./bench/harness/compiled.mjs <file>.ts`. tsx keeps the names of functions, which makes closures in
// inner loops several times as slow as in `dist/`. Threads of the worker pool still run through tsx.
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

/** Compiles the sources, a loader hook of Node. */
export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const { transform } = await import('esbuild');
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), { loader: 'ts', format: 'esm', target: 'node20.19' });
  return { format: 'module', source: code, shortCircuit: true };
}
