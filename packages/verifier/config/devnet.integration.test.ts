import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnet } from '@vouch/chain/devnet/startDevnet';
import { createLogger } from '@vouch/platform/log/logger';
import { realDoors } from '@vouch/platform/process/doors';
import { expect, it } from 'vitest';
import { runVerifier } from '../fixtures/runVerifier.ts';

it('takes the file that a local chain writes for its first operator, as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-verifier-'));
  const devnet = await startDevnet({ folder, operators: 1, gatewayUrl: 'http://127.0.0.1:8080', log: createLogger('silent'), doors: realDoors });
  try {
    expect(await runVerifier(['config', 'check', '-conf', devnet.nodeFile])).toMatchObject({ code: 0, errors: '', output: expect.stringContaining('The configuration is in order.') as string });
    const { output } = await runVerifier(['-conf', devnet.nodeFile]);
    expect(output.toLowerCase()).toContain(`node ${devnet.facts.operators[0]!.address} on vouch-devnet`);
  } finally {
    await devnet.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
