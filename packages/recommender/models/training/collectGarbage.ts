import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Smaller processes have nothing worth collecting: one that has loaded its programs and DuckDB takes 130 MiB. */
const smallestBytes = 256 * 2 ** 20;

/**
 * Collects the garbage of the previous stage: unused arrays are a fifth of a training's memory. Without this call, the
 * collector frees the arrays only after the next stage has allocated the same amount again. A collection takes about 20 ms; in small processes, nothing is
 * collected.
 */
export function collectGarbage(): void {
  if (process.memoryUsage.rss() < smallestBytes) return;
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
