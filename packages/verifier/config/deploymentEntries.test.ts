import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRecord } from '@vouch/chain/contracts/deployment/deploymentRecord';
import { completeRecord } from '@vouch/chain/testing/completeRecord';
import { afterAll, expect, it } from 'vitest';
import { ConfigurationFault } from './configurationFault.ts';
import { loadConfiguration } from './loadConfiguration.ts';

const folder = mkdtempSync(join(tmpdir(), 'vouch-deployment-entries-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const service = `0x${'a1'.repeat(20)}` as const;
const record = completeRecord({ name: 'ProtocolService', version: '7' }, service, 77);

function load(chain: string, contract: string): ReturnType<typeof loadConfiguration> {
  const path = join(folder, 'verifier.yaml');
  writeFileSync(path, `chain:\n  rpc_url: "http://127.0.0.1:1"\n${chain}contract:\n${contract}gasless_service:\n  url: "http://127.0.0.1:2"\n`);
  return loadConfiguration({ '-conf': path, '-private-key': `0x${'22'.repeat(32)}` });
}

it('a record beside the file gives what the file leaves out, and the file wins', async () => {
  await writeRecord(join(folder, 'record.json'), record);
  const { configuration } = load('', '  deployment: "record.json"\n');
  expect(configuration.chain).toMatchObject({ chainId: 4_242, startBlock: 77 });
  expect(configuration.contract).toMatchObject({ service, teeEmitter: service });
  expect(configuration.domain).toEqual({ name: 'ProtocolService', version: '7', chainId: 4_242n });
  expect(load('  start_block: 80\n', '  deployment: "record.json"\n').configuration.chain.startBlock).toBe(80);
});

it('a record that is missing, damaged or unfinished is a fault with its line', async () => {
  await writeRecord(join(folder, 'unfinished.json'), { ...record, state: 'unfinished' });
  writeFileSync(join(folder, 'damaged.json'), '{');
  for (const [name, said] of [['none', /cannot be read \(ENOENT\)/], ['damaged', /is not a deployment record/], ['unfinished', /is unfinished: run vouch contracts deploy again/]] as const) {
    const fault = ((): unknown => {
      try {
        return load('', `  deployment: "${name}.json"\n`);
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toBeInstanceOf(ConfigurationFault);
    expect((fault as Error).message).toMatch(said);
    expect((fault as Error).message).toMatch(/verifier\.yaml, line 4/);
  }
});
