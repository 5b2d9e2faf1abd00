import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConfigurations } from '../testing/configurations.ts';
import type { ConfigurationFlags } from './loadConfiguration.ts';

const { folder, load, faultsWith } = openConfigurations();
const key = `0x${'1a'.repeat(32)}`;

describe('the wallet', () => {
  const inFile = { 'wallet.mode': '2', 'wallet.keystore_path': 'node.json' };
  it.each<[string, Record<string, string | null>, ConfigurationFlags, unknown]>([
    ['mode 0 and -private-key', {}, { '-private-key': key.slice(2) }, { kind: 'clear', privateKey: key, from: '-private-key' }],
    ['mode 0 and -keystore-path', {}, { '-keystore-path': 'k.json' }, { kind: 'keystore', path: 'k.json', password: { kind: 'ask' } }],
    ['mode 0, path and password by flag', {}, { '-keystore-path': 'k.json', '-keystore-password': '-x ' }, { kind: 'keystore', path: 'k.json', password: { kind: 'given', password: '-x ', from: '-keystore-password' } }],
    ['mode 0, path and password file by flag', {}, { '-keystore-path': 'k.json', '-password-file': 'p' }, { kind: 'keystore', path: 'k.json', password: { kind: 'file', path: 'p' } }],
    ['no mode', { 'wallet.mode': null }, { '-private-key': key }, { kind: 'clear', privateKey: key, from: '-private-key' }],
    ['mode 1', { 'wallet.mode': '1', 'wallet.private_key': key }, {}, { kind: 'clear', privateKey: key, from: 'wallet.private_key' }],
    ['mode 2 without a password', inFile, {}, { kind: 'keystore', path: join(folder, 'node.json'), password: { kind: 'ask' } }],
    ['mode 2 with a password', { ...inFile, 'wallet.keystore_password': '123456' }, {}, { kind: 'keystore', path: join(folder, 'node.json'), password: { kind: 'given', password: '123456', from: expect.stringContaining('line') as string } }],
    ['mode 2, password file by flag', { ...inFile, 'wallet.keystore_password': '123456' }, { '-password-file': 'p' }, { kind: 'keystore', path: join(folder, 'node.json'), password: { kind: 'file', path: 'p' } }],
    ['mode 2, path by flag', { ...inFile, 'wallet.keystore_password': '123456' }, { '-keystore-path': 'k.json' }, { kind: 'keystore', path: 'k.json', password: expect.objectContaining({ password: '123456' }) as object }],
    ['mode 1, another key by flag', { 'wallet.mode': '1', 'wallet.private_key': `0x${'2b'.repeat(32)}` }, { '-private-key': key }, { kind: 'clear', privateKey: key, from: '-private-key' }],
    ['mode 2, a placeholder as private_key', { ...inFile, 'wallet.private_key': '<PRIVATE_KEY>' }, {}, { kind: 'keystore', path: join(folder, 'node.json'), password: { kind: 'ask' } }],
  ])('takes the key from %s', (_how, changes, flags, expected) => {
    expect(load(changes, flags).key).toEqual(expected);
  });

  it.each<[string, Record<string, string | null>, ConfigurationFlags, string]>([
    ['-private-key and -keystore-path', {}, { '-private-key': key, '-keystore-path': 'k' }, 'cannot be combined with -keystore-path'],
    ['-private-key and -keystore-password', {}, { '-private-key': key, '-keystore-password': 'k' }, 'cannot be combined with -keystore-password'],
    ['-private-key and -password-file', {}, { '-private-key': key, '-password-file': 'k' }, 'cannot be combined with -password-file'],
    ['two passwords', {}, { '-keystore-path': 'k', '-keystore-password': 'k', '-password-file': 'k' }, 'cannot be combined with -password-file'],
    ['mode 0 and only a password', {}, { '-password-file': 'k' }, 'Add -keystore-path'],
    ['mode 1 without its key', { 'wallet.mode': '1' }, {}, 'wallet.private_key is missing'],
    ['mode 1 with an empty key', { 'wallet.mode': '1', 'wallet.private_key': '""' }, {}, 'wallet.private_key is missing'],
    ['mode 1 with half a key', { 'wallet.mode': '1', 'wallet.private_key': key.slice(0, 40) }, {}, '(not shown) is invalid'],
    ['mode 1 and a password', { 'wallet.mode': '1', 'wallet.private_key': key }, { '-keystore-password': 'k' }, 'wallet.mode is 1'],
    ['mode 2 without its path', { 'wallet.mode': '2' }, {}, 'wallet.keystore_path is missing'],
    ['half a key by flag', {}, { '-private-key': key.slice(0, 40) }, '(not shown) is invalid'],
  ])('is refused with a sentence: %s', (_how, changes, flags, sentence) => {
    const faults = faultsWith(changes, flags);
    expect(faults).toEqual([expect.stringContaining(sentence)]);
    expect(faults.join()).not.toContain(key.slice(2, 20));
  });

  it('of mode 0 without flags gives no key, and says what to do', () => {
    const { key: source, missingKey } = load();
    expect(source).toBeNull();
    expect(missingKey.sentence).toMatch(/wallet\.mode is 0.*-keystore-path/);
    expect(load({ 'wallet.private_key': key }).missingKey.sentence).toContain('only with wallet.mode: 1');
  });
});
