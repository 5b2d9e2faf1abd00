import { chmodSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runVerifier, testFolder, writeConfiguration, type Ended } from '../fixtures/runVerifier.ts';

/*
 * The rows of the specification about the node program, each shown by a run of the program. -generate-keystore, whose scrypt
 * takes seconds, is shown in bin/build.integration.test.ts.
 */
const folder = testFolder();
const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const node = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
const claimer = '0x689d0b32Da0480095b7AE7b604f1b1997736B3F9';
const { keystores } = JSON.parse(readFileSync(new URL('../../chain/keystore/fixtures/keystores.json', import.meta.url), 'utf8')) as {
  keystores: { name: string; password: string; keystore: object }[];
};
const light = keystores.find(({ name }) => name === 'scrypt light')!;
const keystore = join(folder, 'node.json');
writeFileSync(keystore, JSON.stringify(light.keystore));
chmodSync(keystore, 0o600);

const conf = (changes: Record<string, string> = {}): string => writeConfiguration(folder, changes);

/** What would be used for a key, and where it came from. */
async function used(name: string, changes: Record<string, string> = {}, flags: readonly string[] = []): Promise<{ value: string; from: string }> {
  const { code, output, errors } = await runVerifier(['config', 'check', '-json', '-conf', conf(changes), ...flags]);
  expect([code, errors]).toEqual([0, '']);
  const { values } = JSON.parse(output) as { values: { key: string; value: string; from: string }[] };
  const { value, from } = values.find((shown) => shown.key === name)!;
  return { value, from };
}
const start = (changes: Record<string, string>, ...flags: string[]): Promise<Ended> => runVerifier(['-conf', conf(changes), ...flags]);

describe('flags', () => {
  it('-private-key <PRIVATE_KEY>: key given in clear text at startup', async () => {
    for (const given of [key, `0x${key}`]) expect((await start({}, '-private-key', given)).output).toContain(node);
  });
  it('-keystore-path <path>, -keystore-password <KEYSTORE_PASSWORD>: a keystore file and its password', async () => {
    expect((await start({}, '-keystore-path', keystore, '-keystore-password', light.password)).output).toContain(node);
  });
  it('-reward-address <address>', async () => {
    expect(await used('wallet.reward_claimer_addr', {}, ['-reward-address', claimer])).toEqual({ value: claimer, from: '-reward-address' });
  });
  it('-commission-rate <integer>: 0 to 100', async () => {
    for (const [given, value] of [['0', '0 %'], ['5', '5 %'], ['100', '100 %'], ['1.15', '1.15 %']] as const) {
      expect(await used('wallet.commission_rate', {}, ['-commission-rate', given])).toEqual({ value, from: '-commission-rate' });
    }
    for (const given of ['-1', '101', 'x', '100.01']) expect((await start({}, '-private-key', key, '-commission-rate', given)).code).toBe(2);
  });
  it('-conf <path>: path of a configuration file', async () => {
    expect((await used('chain.chain_id')).from).toBe(`${conf()}, line 2`);
    expect((await runVerifier(['-conf', join(folder, 'none.yaml')])).code).toBe(2);
  });
});

describe('keys of the configuration file', () => {
  const hash = `0x${'12'.repeat(32)}`;
  it.each<[string, string, string]>([
    ['chain.chain_id', '42161', '42161'],
    ['chain.chain_name', '"arbitrum"', 'arbitrum'],
    ['chain.rpc_url', '"https://rpc.example"', 'https://rpc.example'],
    ['chain.start_block', '17', '17'],
    ['chain.offset_block', '14400', '14400'],
    ['contract.addr', `"${claimer}"`, claimer],
    ['contract.tee_addr', `"${claimer}"`, claimer],
    ['wallet.reward_claimer_addr', `"${claimer}"`, claimer],
    ['wallet.commission_rate', '100', '100 %'],
    ['signature.domain_name', '"ProtocolService"', 'ProtocolService'],
    ['signature.domain_version', '"1.0.0"', '1.0.0'],
    ['signature.expired_time', '3600', '3600 s'],
    ['gasless_service.url', '"https://gateway.example"', 'https://gateway.example'],
  ])('%s', async (name, text, value) => {
    expect(await used(name, { [name]: text })).toMatchObject({ value, from: expect.stringContaining(', line ') as string });
  });
  it.each(['contract.topic1', 'contract.topic2'])('%s', async (name) => {
    const { code, output } = await runVerifier(['config', 'check', '-conf', conf({ [name]: `"${hash}"` })]);
    expect([code, output]).toEqual([0, expect.stringContaining(hash)]);
  });
  it('wallet.mode 0: key via startup parameters', async () => {
    expect((await start({ 'wallet.mode': '0' }, '-private-key', key)).output).toContain(node);
    expect(await start({ 'wallet.mode': '0' })).toMatchObject({ code: 2, errors: expect.stringContaining('wallet.mode is 0') as string });
  });
  it('wallet.mode 1: clear-text key in wallet.private_key', async () => {
    expect((await start({ 'wallet.mode': '1', 'wallet.private_key': `"${key}"` })).output).toContain(node);
    expect(await start({ 'wallet.mode': '1' })).toMatchObject({ code: 2, errors: expect.stringContaining('wallet.private_key is missing') as string });
  });
  it('wallet.mode 2: wallet.keystore_path and wallet.keystore_password in the file', async () => {
    const path = { 'wallet.mode': '2', 'wallet.keystore_path': JSON.stringify(keystore) };
    expect((await start({ ...path, 'wallet.keystore_password': light.password })).output).toContain(node);
    expect(await start({ 'wallet.mode': '2' })).toMatchObject({ code: 2, errors: expect.stringContaining('wallet.keystore_path is missing') as string });
  });
});

describe('limits', () => {
  it('commission rate range 0 to 100', async () => {
    expect((await start({ 'wallet.commission_rate': '101' })).errors).toContain('it must be a percentage from 0 to 100');
  });
  it('signature expired_time 3600 as in the example configuration, also without the key', async () => {
    expect(await used('signature.expired_time')).toEqual({ value: '3600 s', from: 'default' });
    for (const given of ['60', '21001']) expect((await start({ 'signature.expired_time': given })).errors).toContain('it must be an integer from 61 to 21000');
  });
});

describe('secrets', () => {
  it('are masked in what would be used', async () => {
    const changes = {
      'wallet.mode': '2', 'wallet.keystore_path': JSON.stringify(keystore), 'wallet.keystore_password': 'very-secret-password',
      'chain.rpc_url': '"https://user:very-secret-user@rpc.example/v3/very-secret-path?k=very-secret-query"', 'alert.url': '"https://alerts.example/very-secret-hook"',
    };
    for (const format of [[], ['-json']]) {
      const { code, output, errors } = await runVerifier(['config', 'check', '-conf', conf(changes), ...format]);
      expect(code).toBe(0);
      expect(output).toContain('https://rpc.example/…');
      expect(output + errors).not.toContain('very-secret');
    }
    const { output, errors } = await runVerifier(['config', 'check', '-conf', conf(), '-private-key', key]);
    expect(output).toContain('in clear, from -private-key');
    expect(output + errors).not.toContain(key.slice(0, 16));
  });
});
