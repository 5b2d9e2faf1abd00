import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRecord } from '@vouch/chain/contracts/deployment/deploymentRecord';
import { completeRecord } from '@vouch/chain/testing/completeRecord';
import { ConfigurationError } from '@vouch/platform/config/loadConfiguration';
import { afterAll, describe, expect, it } from 'vitest';
import type { DeploymentSettings } from '../settings/gatewaySettings.ts';
import { readDeployments } from './readDeployments.ts';

const folder = mkdtempSync(join(tmpdir(), 'vouch-deployments-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = join(folder, 'deployments.toml');
const contract = `0x${'a1'.repeat(20)}` as const;
const beside = { chain_id: 1, contract_address: contract, relayer_keystores: ['/etc/vouch/relayer.json'] } as unknown as DeploymentSettings;
const whole = `chain_rpc_url = "https://rpc.example"\nchain_id = 42161\ncontract_address = "${contract}"\nrelayer_keys = "awskms:alias/vouch"\n`;

function read(text: string) {
  writeFileSync(path, text);
  return readDeployments(path, beside);
}

/** Returns each fault as one line: name (file): sentence. */
function faultsOf(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ name, source, detail }) => `${name} (${source === path ? 'file' : source}): ${detail}`);
  }
  return [];
}

describe('the file of deployments', () => {
  it('has the settings of a deployment in each table, with the same defaults as the variables', () => {
    const [first, second, ...more] = read(`[arbitrum]\n${whole}confirmations = 20\n[base-1]\n${whole.replace('42161', '8453')}keeper = false\n`);
    expect(first).toMatchObject({ name: 'arbitrum', settings: {
      chain_rpc_url: ['https://rpc.example'], chain_id: 42_161, confirmations: 20, batch_window_ms: 500, domain_name: 'ProtocolService', keeper: true, relayer_keys: ['awskms:alias/vouch'],
    } });
    expect(second).toMatchObject({ name: 'base-1', settings: { chain_id: 8_453, confirmations: 5, keeper: false } });
    expect(more).toEqual([]);
  });

  it('names files relative to itself', () => {
    const [{ settings } = { settings: null }] = read(`[a]\n${whole.replace(/relayer_keys.*\n/, '')}relayer_keystores = ["keys/one.json", "/etc/two.json"]\nrelayer_password_file = "password"\n`);
    expect(settings).toMatchObject({ relayer_keystores: [join(folder, 'keys/one.json'), '/etc/two.json'], relayer_password_file: join(folder, 'password') });
  });

  it('takes chain, contract and domain from the record of a deployment, which nothing beside it may contradict', async () => {
    await writeRecord(join(folder, 'record.json'), completeRecord({ name: 'Other', version: '7' }, contract, 7));
    const entry = '[a]\nchain_rpc_url = "https://rpc.example"\nrelayer_keys = "awskms:alias/vouch"\ndeployment = "record.json"\n';
    expect(read(entry)[0]).toMatchObject({ settings: { chain_id: 4_242, contract_address: contract, domain_name: 'Other', domain_version: '7' } });
    expect(faultsOf(`${entry}chain_id = 1\n`)).toEqual([expect.stringMatching(/^a\.chain_id \(beside a\.deployment\): the value is 1, but the record .*record\.json contains 4242; remove the setting\.$/)]);
    expect(faultsOf(entry.replace('record.json', 'none.json'))).toEqual([expect.stringMatching(/^a\.deployment \(.*none\.json\): The deployment record .* cannot be read \(ENOENT\)/)]);
  });
});

describe('a fault of the file names the file, the table, the value and what to do', () => {
  it.each([
    ['no table', '', /^VOUCH_GATEWAY_DEPLOYMENTS \(file\): the file has no deployment\. Add a table per deployment/],
    ['a key outside of a table', `${whole}`, /^chain_rpc_url \(file\): the key is outside of a table; write \[name-of-the-deployment\] above the key/],
    ['a value instead of a table', 'arbitrum = 1', /^arbitrum \(file\): the value is not a table; a deployment is a table \[name\]/],
    ['a name that fits no address', `["Arbitrum One"]\n${whole}`, /^Arbitrum One \(file\): the name is part of URLs; it must be 1 to 32 lower-case letters/],
    ['the name of the variables', `[default]\n${whole}`, /^default \(file\): this name is reserved for the deployment of the environment variables/],
    ['a value out of range', `[a]\n${whole}confirmations = -1\n`, /^a\.confirmations \(file\): the value is -1, but must be an integer from 0 to 10000/],
    ['an unknown key', `[a]\n${whole}confirmation = 1\n`, /^a\.confirmation \(file\): the setting does not exist; did you mean confirmations\?/],
    ['a setting of the whole gateway', `[a]\n${whole}gateway_headers = "lenient"\n`, /^a\.gateway_headers \(file\): the setting does not exist/],
    ['a private key', `[a]\n${whole.replace('awskms:alias/vouch', '5'.repeat(64))}`, /^a\.relayer_keys \(file\): the setting contains a private key; .*Put the private key into a keystore/],
    ['the contract of the variables', `[a]\n${whole.replace('42161', '1')}`, /^a\.contract_address \(file\): the contract 0xa1.* on chain 1 is also in the deployment of the environment variables; only one deployment can serve a contract/],
    ['the contract of another table', `[a]\n${whole}[b]\n${whole.replace('vouch', 'other').replace('0xa1', '0xA1')}`, /^b\.contract_address .*is also in the deployment a; /],
    ['a key of another deployment on the same chain', `[a]\n${whole}[b]\n${whole.replace('0xa1', '0xb1')}`, /^b\.relayer_keys \(file\): a key is also used by the deployment a, on the same chain 42161; .*give each deployment on that chain its own keys/],
  ])('%s', (_, text, sentence) => {
    expect(faultsOf(text)).toEqual(expect.arrayContaining([expect.stringMatching(sentence)]));
  });

  it('a keystore of the variables on the same chain, also by another path', () => {
    const own = `[a]\n${whole.replace('42161', '1').replace('0xa1', '0xb1').replace(/relayer_keys.*\n/, '')}relayer_keystores = "/etc/vouch/keys/../relayer.json"\n`;
    expect(faultsOf(own)).toEqual([expect.stringMatching(/^a\.relayer_keystores \(file\): a key is also used by the deployment of the environment variables, on the same chain 1/)]);
  });

  it('all of them at once, and no secret among them', () => {
    const faults = faultsOf(`[a]\nchain_rpc_url = "wss://rpc.example/secret"\nrelayer_keys = "${'7'.repeat(63)}"\n[b]\nchain_id = "x"\n[c]\n`);
    expect(faults.map((fault) => fault.slice(0, fault.indexOf(' ')))).toEqual([
      'a.chain_rpc_url', 'a.relayer_keys', 'b.chain_id', 'c.chain_rpc_url', 'c.chain_id', 'c.contract_address', 'c.relayer_keystores',
    ]);
    expect(faults.join('\n')).not.toMatch(/secret"|777/);
  });

  it('a file that is no TOML, or cannot be read', () => {
    expect(faultsOf('[a\n')).toEqual([expect.stringMatching(/^TOML \(.*deployments\.toml, line 1, column \d+\): /)]);
    expect(() => readDeployments(join(folder, 'none.toml'), beside)).toThrow(/VOUCH_GATEWAY_DEPLOYMENTS \(.*none\.toml\): the file cannot be read \(ENOENT\); it must be a text file/);
  });
});

it('the same key pays on two chains', () => {
  expect(read(`[a]\n${whole}[b]\n${whole.replace('42161', '10')}`)).toHaveLength(2);
});
