import { realDoors } from '@vouch/platform/process/doors';
import { messageOf } from '../logging/messageOf.ts';
import { main } from '../main.ts';

// Where nobody reads on (verifier -h | head), the program still ends in order.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// A fault that nobody waited for ends the program with a sentence too; whoever runs it starts it anew.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    process.stderr.write(`verifier: an unforeseen fault: ${messageOf(error)}. Please report it with the version (verifier version).\n`);
    process.exit(1);
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
