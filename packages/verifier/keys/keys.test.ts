import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runVerifier, sharedFolder, writeConfiguration, type Ended } from '../testing/runVerifier.ts';

interface Made {
  name: string;
  password: string;
  address: string;
  private_key: string;
  keystore: { crypto: { kdfparams: object } };
}

const { keystores } = JSON.parse(readFileSync(new URL('../../chain/keystore/fixtures/keystores.json', import.meta.url), 'utf8')) as { keystores: Made[] };
const light = keystores.find(({ name }) => name === 'scrypt light')!;
const folder = sharedFolder();
const conf = writeConfiguration(folder);

function write(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}
const keystore = write('light.json', JSON.stringify(light.keystore));
const passwordFile = write('password', `${light.password}\n`);
const start = (...given: string[]): Promise<Ended> => runVerifier(['-conf', conf, ...given]);

describe('the key of a node', () => {
  it.each(keystores.filter(({ name }) => !/classic|as eth-account/.test(name) && name !== 'an empty password'))('opens from a keystore of eth-account: $name', async ({ name, keystore: file, password, address }) => {
    const { output, errors } = await start('-keystore-path', write(`${name.replaceAll(' ', '-')}.json`, JSON.stringify(file)), '-keystore-password', password);
    expect(output.toLowerCase()).toContain(`the key opens: node ${address} on chain-31337`);
    expect(output + errors).not.toContain(light.private_key.slice(2, 20));
  });

  it.each<[string, string[], string]>([
    ['a password file', ['-password-file', passwordFile], ''],
    ['a password file with the line end of Windows', ['-password-file', write('crlf', `${light.password}\r\n`)], ''],
    ['standard input', [], `${light.password}\n`],
  ])('opens with the password from %s', async (_where, given, input) => {
    const { output } = await runVerifier(['-conf', conf, '-keystore-path', keystore, ...given], input);
    expect(output.toLowerCase()).toContain(light.address);
  });

  it('opens with everything in the file', async () => {
    const inFile = writeConfiguration(folder, { 'wallet.mode': '2', 'wallet.keystore_path': JSON.stringify(keystore), 'wallet.keystore_password': light.password }, 'mode2.yaml');
    expect((await runVerifier(['-conf', inFile])).output.toLowerCase()).toContain(light.address);
    const clear = writeConfiguration(folder, { 'wallet.mode': '1', 'wallet.private_key': `"${light.private_key}"` }, 'mode1.yaml');
    const { output, errors } = await runVerifier(['-conf', clear]);
    expect(output.toLowerCase()).toContain(light.address);
    expect(output + errors).not.toContain(light.private_key.slice(2, 20));
  });

  it('says that others may read keystore or password', async () => {
    const [open, openPassword] = [write('open.json', JSON.stringify(light.keystore), 0o644), write('open-password', `${light.password}\nand more\n`, 0o640)];
    const { errors } = await start('-keystore-path', open, '-password-file', openPassword);
    expect(errors).toContain(`can read the keystore: chmod 600 ${open}`);
    expect(errors).toContain(`can read the password file: chmod 600 ${openPassword}`);
    expect(errors).toContain('several lines');
  });

  const { crypto } = light.keystore;
  it.each<[string, () => string[], RegExp]>([
    ['a wrong password', () => ['-keystore-path', keystore, '-keystore-password', 'correct hors'], /does not open with this password/],
    ['a keystore that was cut off', () => ['-keystore-path', write('cut.json', JSON.stringify(light.keystore).slice(0, 300)), '-password-file', passwordFile], /truncated/],
    ['an absurd n', () => ['-keystore-path', write('n.json', JSON.stringify({ ...light.keystore, crypto: { ...crypto, kdfparams: { ...crypto.kdfparams, n: 2 ** 40 } } })), '-password-file', passwordFile], /requires .* is rejected/],
    ['a wrong mac', () => ['-keystore-path', write('mac.json', JSON.stringify({ ...light.keystore, crypto: { ...crypto, mac: '00'.repeat(32) } })), '-password-file', passwordFile], /does not open with this password/],
    ['HTML', () => ['-keystore-path', write('html.json', '<html>'), '-password-file', passwordFile], /not complete JSON/],
    ['bytes', () => ['-keystore-path', '/bin/ls', '-password-file', passwordFile], /cannot be read: the file (exceeds 64 KB|is not UTF-8 text)/],
    ['no keystore', () => ['-keystore-path', join(folder, 'none'), '-password-file', passwordFile], /cannot be read: the file does not exist/],
    ['a folder', () => ['-keystore-path', folder, '-password-file', passwordFile], /cannot be read: the path is a folder/],
    ['no password file', () => ['-keystore-path', keystore, '-password-file', join(folder, 'none')], /The password file .* the file does not exist/],
    ['an empty password file', () => ['-keystore-path', keystore, '-password-file', write('empty', '\nx')], /The first line of the password file .* is empty/],
    ['no password at all', () => ['-keystore-path', keystore], /Standard input ended before the password was read/],
    ['a key of zero', () => ['-private-key', '0'.repeat(64)], /is not a private key/],
    ['a key above the order of the curve', () => ['-private-key', 'f'.repeat(64)], /is not a private key/],
  ])('is refused with exit code 3 and a sentence: %s', async (_what, given, sentence) => {
    const { code, output, errors } = await start(...given());
    expect([code, output]).toEqual([3, '']);
    expect(errors).toMatch(sentence);
    expect(errors).not.toMatch(/\n\s+at /);
    expect(errors).not.toContain(light.password);
  });
});

describe('verifier keystore inspect', () => {
  it('says whose it is without a password, and that it opens with one', async () => {
    const { code, output } = await runVerifier(['keystore', 'inspect', '-keystore-path', keystore]);
    expect(code).toBe(0);
    expect(output).toMatch(/address +0x2c7536E3605D9C16a7a3D7b1898e529396a65c23\nderivation +scrypt, n = 4096, r = 8, p = 1\npassword +not tried/);
    const opened = await runVerifier(['keystore', 'inspect', '-json', '-keystore-path', keystore, '-password-file', passwordFile]);
    expect(JSON.parse(opened.output)).toMatchObject({ address: '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23', opens: true, others_may_read: false });
    expect((await runVerifier(['keystore', 'inspect', '-keystore-path', keystore, '-keystore-password', 'x'])).code).toBe(3);
  });
});
