import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInterruptibly } from './interruption.ts';
import { startService } from './service.ts';

// A program like tests/scale/run.ts for interruption.test.ts: starts a service that leaves a process behind, and waits until the service ends. With the
// argument `stuck`, the clean-up does not end.

await runInterruptibly(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-interrupted-'));
  try {
    const service = await startService({ program: '/bin/sh', arguments: ['-c', 'setsid sleep 300 & exec sleep 301'], folder });
    console.log(JSON.stringify({ folder, processId: service.processId }));
    await service.ended;
    if (process.argv[2] === 'stuck') await new Promise((resolve) => setTimeout(resolve, 300_000));
    throw new Error('the service has ended');
  } finally {
    await rm(folder, { recursive: true });
  }
});
