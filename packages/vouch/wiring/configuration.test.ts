import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRecord } from '@vouch/chain/contracts/deployment/deploymentRecord';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfiguration } from './configuration.ts';

const folder = mkdtempSync(join(tmpdir(), 'vouch-configuration-'));
const record = join(folder, 'record.json');
const service = `0x${'a1'.repeat(20)}` as const;

beforeAll(async () => {
  await writeRecord(record, {
    state: 'complete', chainId: 4_242n, domain: { name: 'Other', version: '7' }, deployer: service, firstNonce: 0, owner: service,
    contracts: { service }, compiler: '', sourceDigests: {}, interfaces: {}, wanted: {},
    steps: [{ name: '', to: null, data: '0x', creates: null, attempts: [], mined: { hash: `0x${'11'.repeat(32)}`, block: 7, gasUsed: 1n, feeWei: 1n } }],
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a record of a deployment gives chain, contract and domain', () => {
  expect(readConfiguration({ VOUCH_DEPLOYMENT: record })).toMatchObject({ chain_id: 4_242, contract_address: service, domain_name: 'Other', domain_version: '7' });
});

it('a setting that contradicts the record is a fault that names both, and so is a record that is not there', () => {
  expect(() => readConfiguration({ VOUCH_DEPLOYMENT: record, VOUCH_CHAIN_ID: '1' })).toThrow(/VOUCH_CHAIN_ID \(beside VOUCH_DEPLOYMENT\): it is 1, and the record .*record\.json says 4242; leave it out/);
  expect(readConfiguration({ VOUCH_DEPLOYMENT: record, VOUCH_CHAIN_ID: '4242' })).toMatchObject({ chain_id: 4_242 });
  expect(() => readConfiguration({ VOUCH_DEPLOYMENT: join(folder, 'none.json') })).toThrow(/VOUCH_DEPLOYMENT .*cannot be read \(ENOENT\)/);
});
