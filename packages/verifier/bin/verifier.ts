import { surviveOutputFaults } from '@vouch/platform/process/surviveOutputFaults';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { messageOf } from '../logging/messageOf.ts';
import { main } from '../main.ts';

surviveOutputFaults('verifier');

// An unexpected error prints one sentence and exits with code 1, so that a service manager can restart the node.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    process.stderr.write(`verifier: internal error: ${messageOf(error)}. Please report this error with the output of "verifier version".\n`);
    process.exit(1);
  });
}

// The first signal stops the program cleanly; a second signal exits immediately.
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  });
}

process.exitCode = await main(process.argv.slice(2), { input: process.stdin, output: process.stdout, errors: process.stderr, system: systemInterfaces, stop: stop.signal });
