import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRecord } from '@vouch/chain/contracts/deployment/deploymentRecord';
import { completeRecord } from '@vouch/chain/testing/completeRecord';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfiguration } from './configuration.ts';

const folder = mkdtempSync(join(tmpdir(), 'vouch-configuration-'));
const record = join(folder, 'record.json');
const service = `0x${'a1'.repeat(20)}` as const;

beforeAll(() => writeRecord(record, completeRecord({ name: 'Other', version: '7' }, service, 7)));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a record of a deployment gives chain, contract and domain', () => {
  expect(readConfiguration({ VOUCH_DEPLOYMENT: record })).toMatchObject({ chain_id: 4_242, contract_address: service, domain_name: 'Other', domain_version: '7' });
});

it('a setting that contradicts the record is a fault that names both, and so is a record that is not there', () => {
  expect(() => readConfiguration({ VOUCH_DEPLOYMENT: record, VOUCH_CHAIN_ID: '1' })).toThrow(/VOUCH_CHAIN_ID \(beside VOUCH_DEPLOYMENT\): the value is 1, but the record .*record\.json contains 4242; remove the setting/);
  expect(readConfiguration({ VOUCH_DEPLOYMENT: record, VOUCH_CHAIN_ID: '4242' })).toMatchObject({ chain_id: 4_242 });
  expect(() => readConfiguration({ VOUCH_DEPLOYMENT: join(folder, 'none.json') })).toThrow(/VOUCH_DEPLOYMENT .*cannot be read \(ENOENT\)/);
});
