import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeConfiguration } from '@vouch/chain/devnet/nodeConfiguration';
import { describe, expect, it } from 'vitest';
import { openConfigurations } from '../testing/configurations.ts';
import { writeConfiguration } from '../testing/runVerifier.ts';
import type { ConfigurationFault } from './configurationFault.ts';
import { keys } from './keys.ts';
import { loadConfiguration, type ConfigurationFlags } from './loadConfiguration.ts';
import { eventTopics } from './nodeConfiguration.ts';

const { folder, load, faultsOf, faultsWith } = openConfigurations();
const key = `0x${'1a'.repeat(32)}` as const;

describe('flags', () => {
  it('win over the file', () => {
    const changes = { 'wallet.reward_claimer_addr': `"0x${'11'.repeat(20)}"`, 'wallet.commission_rate': '5' };
    const { configuration, origins } = load(changes, { '-reward-address': `0x${'22'.repeat(20)}`, '-commission-rate': '0' });
    expect(configuration).toMatchObject({ rewardClaimer: `0x${'22'.repeat(20)}`, commissionRate: 0 });
    expect(origins.get('wallet.commission_rate')).toBe('-commission-rate');
  });

  it('are named where their value is wrong, also where that of the file is right', () => {
    expect(faultsWith({ 'wallet.commission_rate': '5' }, { '-commission-rate': '101' })).toEqual([`-commission-rate: the value is "101"; it must be ${keys.commissionRate.range}.`]);
    expect(faultsWith({}, { '-reward-address': '0x12' })).toEqual([`-reward-address: the value is "0x12"; it must be ${keys.rewardClaimer.range}.`]);
  });

  it('are judged too where the file cannot be read, as far as they can be without it', () => {
    const faultsOfNone = (flags: ConfigurationFlags): string[] => faultsOf(() => loadConfiguration({ '-conf': join(folder, 'none.yaml'), ...flags }));
    const missing = expect.stringContaining('none.yaml: the configuration cannot be read') as string;
    expect(faultsOfNone({ '-commission-rate': '101', '-reward-address': '0x12' })).toEqual([
      missing, expect.stringContaining('-reward-address: the value is "0x12"'), expect.stringContaining('-commission-rate: the value is "101"'),
    ]);
    expect(faultsOfNone({ '-private-key': key, '-keystore-path': 'k' })).toEqual([missing, expect.stringContaining('-private-key: the flag cannot be combined with')]);
    expect(faultsOfNone({ '-commission-rate': '5', '-password-file': 'p' })).toEqual([missing]);
  });

  it('are not repeated where a key was put into the wrong one', () => {
    expect(faultsWith({}, { '-reward-address': key }).join()).not.toContain(key.slice(2, 20));
    expect(faultsWith({ 'chain.chain_name': `"${key.repeat(2)}"` }).join()).not.toContain(key.slice(2, 20));
  });
});

describe('warnings', () => {
  const warningsWith = (changes: Record<string, string | null>, flags: ConfigurationFlags = {}): string[] => load(changes, flags).warnings.map(({ where, sentence }) => `${where.replace(`${folder}/`, '')}: ${sentence}`);
  it('are not given for what is in order', () => {
    expect(warningsWith({})).toEqual([]);
  });

  it.each<[string, string | null]>([
    ['chain.chain_idd', 'chain.chain_id'], ['chain.offsetblock', 'chain.offset_block'], ['wallet.chain_name', 'chain.chain_name'], ['contract.topic4', 'contract.topic1'],
    ['gasless.url', 'alert.url'], ['node.banana_split', null], ['chain.__proto__', null], ['constructor.name', null],
  ])('name an unknown key with its line, and the nearest known one: %s', (name, near) => {
    const [warning, ...more] = warningsWith({ [name]: '1' });
    expect(more).toEqual([]);
    expect(warning).toMatch(/^verifier\.yaml, line \d+: /);
    expect(warning).toContain(`${name} is unknown and has no effect`);
    if (near === null) expect(warning).not.toContain('did you mean');
    else expect(warning).toMatch(/did you mean \w+\.\w+\?$/);
  });

  it('say that a topic is not the one that the program knows', () => {
    expect(warningsWith({ 'contract.topic3': `"0x${'12'.repeat(32)}"` })).toEqual([expect.stringContaining('contract.topic3 differs from the known event')]);
  });
  it('tell a trust root that is not Intel\'s, but on a local chain', () => {
    const root = { 'attestation.trust_root': 'ab'.repeat(32) };
    expect(warningsWith({ ...root, 'chain.chain_id': '42161' })).toEqual([expect.stringContaining("attestation.trust_root is not Intel's root")]);
    expect(warningsWith(root)).toEqual([]);
  });

  it('say that a secret lies in a file that is not used, or that others may read', () => {
    expect(warningsWith({ 'wallet.private_key': key })).toEqual([expect.stringContaining('wallet.private_key is not used in mode 0; remove the secret')]);
    expect(warningsWith({ 'wallet.mode': '1', 'wallet.private_key': key })).toEqual([]);
    const path = writeConfiguration(folder, { 'wallet.mode': '1', 'wallet.private_key': key }, 'open.yaml');
    chmodSync(path, 0o644);
    expect(loadConfiguration({ '-conf': path }).warnings.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('chmod 600')]);
  });

  it('report that a mode is ignored if a flag sets the key', () => {
    expect(warningsWith({ 'wallet.mode': '2', 'wallet.keystore_path': 'a' }, { '-private-key': key })).toEqual([expect.stringContaining('wallet.mode 2 is ignored, because -private-key sets the key')]);
  });

  it('come with the faults, since an unknown key may be why another is missing', () => {
    try {
      load({ 'chain.chain_id': null, 'chain.chainid': '5' });
      expect.unreachable();
    } catch (error) {
      expect((error as ConfigurationFault).warnings[0]?.sentence).toContain('did you mean chain.chain_id?');
    }
  });
});

describe('files of others', () => {
  it('are taken: that of the local chain', () => {
    const address = `0x${'12'.repeat(20)}` as const;
    const text = nodeConfiguration({
      rpcUrl: 'http://127.0.0.1:8545', chainId: 31_337n, contracts: { service: address }, operators: [{ address, privateKey: key }],
      domain: { name: 'ProtocolService', version: '1.0.0', chainId: 31_337n },
    }, 'http://127.0.0.1:8080');
    const path = join(folder, 'devnet.yaml');
    writeFileSync(path, text, { mode: 0o600 });
    const { configuration, key: source, warnings } = loadConfiguration({ '-conf': path });
    expect(warnings).toEqual([]);
    expect(source).toMatchObject({ kind: 'clear', privateKey: key });
    expect(configuration).toMatchObject({ commissionRate: 500, rewardClaimer: address, chain: { chainName: 'vouch-devnet', offsetBlock: 1_000 } });
  });

  it('are taken: one written for the node program in the field', () => {
    const text = `env: ENV_PROD\nchain:\n  chain_id: 42161\n  chain_name: "arbitrum"\n  rpc_url: "https://arb1.arbitrum.io/rpc"\n  start_block: 0\n  offset_block: 14400 # one hour\n  max_block_per_query: 500\n  query_ticker: 5 # second\n  report_delay: 30 # second\n  enable_gas_mode: false\ncontract:\n  addr: "0xa91fF8b606BA57D8c6638Dd8CF3FC7eB15a9c634"\n  tee_addr: "0x8A5614d82187BAa01FB004D5adAcC86992543e67"\n  topic1: "${eventTopics.topic1}"\n  topic2: "${eventTopics.topic2}"\n  topic3: "${eventTopics.topic3}"\nwallet:\n  mode: 2\n  private_key: ""\n  keystore_path: "./keystore/UTC--2024"\n  keystore_password: "123456"\n  reward_claimer_addr: "0x689d0b32Da0480095b7AE7b604f1b1997736B3F9"\n  commission_rate: 100\nsignature:\n  domain_name: "ProtocolService"\n  domain_version: "1.0.0"\n  expired_time: 3600\ngasless_service:\n  url: "https://gateway.example"\n  version: "1.0.0"\n`;
    const path = join(folder, 'field.yaml');
    writeFileSync(path, text, { mode: 0o600 });
    const { configuration, warnings } = loadConfiguration({ '-conf': path });
    expect(warnings.map(({ sentence }) => sentence)).toEqual([expect.stringContaining('env is unknown')]);
    expect(configuration.commissionRate).toBe(10_000);
  });
});
