// Preloaded into a server by `steady`: collects the garbage every two seconds and appends what is left, in bytes: the heap, and what its objects hold outside of it.
import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const file = process.env.VOUCH_TEST_MEMORY;
// The supervisor and the children of the server load this module, too.
if (file !== undefined && basename(process.argv[1] ?? '') === 'run.js' && process.argv.includes('serve')) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  setInterval(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    appendFileSync(file, `${performance.now()} ${heapUsed + external}\n`);
  }, 2_000).unref();
}
