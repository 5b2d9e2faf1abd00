import { exitCodes } from '@vouch/platform/process/exitCodes';
import { freePort } from '@vouch/platform/process/fixtures/freePort';
import { expect, it } from 'vitest';
import { runVerifier, testFolder, writeConfiguration } from '../fixtures/runVerifier.ts';

it('rewards names the endpoint that does not answer, and asks nobody to report that as a fault of the program', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const conf = writeConfiguration(testFolder(), { 'chain.rpc_url': JSON.stringify(url) });
  const { code, output, errors } = await runVerifier(['rewards', '-json', '-conf', conf, '-private-key', '1a'.repeat(32)]);
  expect(code).toBe(exitCodes.failed);
  expect(errors).toMatch(/127\.0\.0\.1:\d+ refuses connections\. Check chain\.rpc_url/);
  expect(errors).not.toContain('unforeseen');
  expect(JSON.parse(output)).toMatchObject({ error: { code: 'failed' } });
});
