import { realDoors } from '@vouch/platform/process/doors';
import { main } from '../main.ts';

// Where nobody reads on (verifier -h | head), the program still ends in order.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await main(process.argv.slice(2), { input: process.stdin, output: process.stdout, errors: process.stderr, doors: realDoors });
