import { realDoors } from '@vouch/platform/process/doors';
import { main } from '../main.ts';

// Where nobody reads on (verifier -h | head), the program still ends in order.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// The first signal ends in order; a second one at once.
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
}

process.exitCode = await main(process.argv.slice(2), { input: process.stdin, output: process.stdout, errors: process.stderr, doors: realDoors, stop: stop.signal });
// A connection that somebody keeps open is no reason to stay.
process.exit();
