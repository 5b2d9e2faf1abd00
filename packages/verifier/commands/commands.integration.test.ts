import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnet } from '@vouch/chain/devnet/startDevnet';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { freePort } from '@vouch/platform/testing/freePort';
import { expect, it } from 'vitest';
import { runVerifier, testFolder, writeConfiguration } from '../testing/runVerifier.ts';

it('config check and the node take the file that a local chain writes for its first operator, as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-verifier-'));
  const devnet = await startDevnet({ folder, operators: 1, gatewayUrl: 'http://127.0.0.1:8080', log: createLogger('silent'), system: systemInterfaces });
  try {
    expect(await runVerifier(['config', 'check', '-conf', devnet.nodeFile])).toMatchObject({ code: 0, errors: '', output: expect.stringContaining('The configuration is valid.') as string });
    const { output } = await runVerifier(['-conf', devnet.nodeFile]);
    expect(output.toLowerCase()).toContain(`node ${devnet.facts.operators[0]!.address} on vouch-devnet`);
  } finally {
    await devnet.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

it('rewards names the endpoint that does not answer, and asks nobody to report that as a fault of the program', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const conf = writeConfiguration(testFolder(), { 'chain.rpc_url': JSON.stringify(url) });
  const { code, output, errors } = await runVerifier(['rewards', '-json', '-conf', conf, '-private-key', '1a'.repeat(32)]);
  expect(code).toBe(exitCodes.failed);
  expect(errors).toMatch(/127\.0\.0\.1:\d+ refuses connections\. Check chain\.rpc_url/);
  expect(errors).not.toContain('unforeseen');
  expect(JSON.parse(output)).toMatchObject({ error: { code: 'failed' } });
});
