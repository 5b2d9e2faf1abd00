import { readFileSync } from 'node:fs';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { describe, expect, it } from 'vitest';
import type { Hex } from '../messages/operation.ts';
import { openKeystore, sealKeystore } from './keystore.ts';
import { KeystoreFault } from './keystoreFault.ts';

interface Made {
  name: string;
  password: string;
  address: Hex;
  private_key: Hex;
  keystore: { address: string; version: number; crypto: Record<string, unknown> & { kdfparams: Record<string, unknown> } };
}

const { keystores } = JSON.parse(readFileSync(new URL('./fixtures/keystores.json', import.meta.url), 'utf8')) as { keystores: Made[] };
const light = keystores.find(({ name }) => name === 'scrypt light')!;
const text = JSON.stringify(light.keystore);

async function faultOf(work: Promise<unknown>): Promise<KeystoreFault> {
  const outcome = await work.then(() => null, (error: unknown) => error);
  expect(outcome).toBeInstanceOf(KeystoreFault);
  return outcome as KeystoreFault;
}

/** Returns the light keystore with changed key derivation parameters. */
function withDerivation(parameters: Record<string, unknown>, kdf: unknown = 'scrypt'): string {
  const { crypto } = light.keystore;
  return JSON.stringify({ ...light.keystore, crypto: { ...crypto, kdf, kdfparams: { ...crypto.kdfparams, ...parameters } } });
}

describe('a keystore of eth-account', () => {
  it.each(keystores)('is opened: $name', async ({ keystore, password, address, private_key }) => {
    expect(await openKeystore(JSON.stringify(keystore), password)).toEqual({ address, privateKey: private_key });
  });

  it.each(['correct hors', 'correct horse\n', '', 'CORRECT HORSE'])('does not open with another password (%j)', async (password) => {
    const fault = await faultOf(openKeystore(text, password));
    expect(fault.kind).toBe('wrong-password');
    expect(fault.message).toMatch(/^The keystore does not open with this password/);
  });

  it('opens without an address, and with 0x before its digits', async () => {
    const { address: _address, ...rest } = light.keystore;
    expect((await openKeystore(JSON.stringify(rest), light.password)).address).toBe(light.address);
    expect((await openKeystore(JSON.stringify({ ...rest, address: light.address }), light.password)).address).toBe(light.address);
  });

  it('is refused where its address is that of another key', async () => {
    const fault = await faultOf(openKeystore(JSON.stringify({ ...light.keystore, address: '00'.repeat(20) }), light.password));
    expect(fault.kind).toBe('wrong-address');
  });
});

describe('a damaged keystore', () => {
  it('is refused with a sentence wherever it was cut', async () => {
    for (let length = 0; length < text.length; length += 1) {
      const fault = await faultOf(openKeystore(text.slice(0, length), light.password));
      expect(fault.kind).toBe('damaged');
      expect(fault.message).toContain('truncated');
    }
  });

  const { crypto } = light.keystore;
  it.each<[string, unknown, string]>([
    ['a list', [], 'the file'],
    ['null', null, 'the file'],
    ['no crypto', { version: 3 }, 'crypto'],
    ['a short ciphertext', { ...light.keystore, crypto: { ...crypto, ciphertext: '00' } }, 'crypto.ciphertext'],
    ['a mac that is no text', { ...light.keystore, crypto: { ...crypto, mac: 7 } }, 'crypto.mac'],
    ['no iv', { ...light.keystore, crypto: { ...crypto, cipherparams: {} } }, 'crypto.cipherparams.iv'],
    ['an address of 19 bytes', { ...light.keystore, address: '00'.repeat(19) }, 'address'],
  ])('is refused with the name of the field: %s', async (_name, file, field) => {
    const fault = await faultOf(openKeystore(JSON.stringify(file), light.password));
    expect(fault.kind).toBe('damaged');
    expect(fault.message).toContain(`${field} `);
  });

  it.each<[string, Record<string, unknown>]>([
    ['n that is no power of two', { n: 4_097 }], ['n = 0', { n: 0 }], ['n = 1', { n: 1 }], ['n < 0', { n: -2 }], ['n as text', { n: '4096' }],
    ['n that is no integer', { n: 0.5 }], ['no n', { n: undefined }], ['r = 0', { r: 0 }], ['p = 0', { p: 0 }], ['no salt', { salt: undefined }],
    ['a derived key of 16 bytes', { dklen: 16 }],
  ])('is refused before any work: %s', async (_name, parameters) => {
    expect((await faultOf(openKeystore(withDerivation(parameters), light.password))).kind).toBe('damaged');
  });

  it('shows nothing of the file but the field', async () => {
    const fault = await faultOf(openKeystore(JSON.stringify({ ...light.keystore, crypto: { ...crypto, ciphertext: `${light.private_key}zz` } }), light.password));
    expect(fault.message).not.toContain(light.private_key.slice(2, 20));
  });
});

describe('a keystore that would stall the machine', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['scrypt with n = 2^40', { n: 2 ** 40 }, 'scrypt'],
    ['scrypt with n = 2^52', { n: 2 ** 52 }, 'scrypt'],
    ['scrypt with r = 2^30', { r: 2 ** 30 }, 'scrypt'],
    ['scrypt with p = 2^30', { p: 2 ** 30 }, 'scrypt'],
    ['scrypt with n × r × 128 = 2 GB', { n: 2 ** 21 }, 'scrypt'],
    ['pbkdf2 with 2^40 rounds', { c: 2 ** 40, prf: 'hmac-sha256' }, 'pbkdf2'],
  ])('is refused: %s', async (_name, parameters, kdf) => {
    const fault = await faultOf(openKeystore(withDerivation(parameters, kdf), light.password));
    expect(fault.kind).toBe('too-costly');
    expect(fault.message).toMatch(/requires .* more than .* is rejected/);
  });
});

describe('a keystore of another kind', () => {
  it.each<[string, object]>([
    ['version 1', { ...light.keystore, version: 1 }],
    ['no version', { ...light.keystore, version: undefined }],
    ['another cipher', { ...light.keystore, crypto: { ...light.keystore.crypto, cipher: 'aes-128-cbc' } }],
    ['another derivation', { ...light.keystore, crypto: { ...light.keystore.crypto, kdf: 'argon2id' } }],
  ])('is refused with what can be read instead: %s', async (_name, file) => {
    const fault = await faultOf(openKeystore(JSON.stringify(file), light.password));
    expect(fault.kind).toBe('unsupported');
    expect(fault.message).toContain('only');
  });
});

describe('a keystore that we made', () => {
  it('opens with its password alone, has the standard parameters and does not hold the key', async () => {
    const made = await sealKeystore(light.private_key, 'Prüfung ✓', systemInterfaces.random);
    const { crypto } = JSON.parse(made) as { crypto: { kdf: string; kdfparams: object } };
    expect(crypto).toMatchObject({ kdf: 'scrypt', kdfparams: { n: 262_144, r: 8, p: 1, dklen: 32 } });
    expect(made).not.toContain(light.private_key.slice(2, 18));
    expect(await openKeystore(made, 'Prüfung ✓')).toEqual({ address: light.address, privateKey: light.private_key });
    expect((await faultOf(openKeystore(made, 'Prufung ✓'))).kind).toBe('wrong-password');
  });

  it.each<[string, Hex]>([['zero', `0x${'00'.repeat(32)}`], ['31 bytes', `0x${'11'.repeat(31)}`], ['above the order', `0x${'ff'.repeat(32)}`]])(
    'is not made of what is no key: %s', async (_name, key) => {
      expect((await faultOf(sealKeystore(key, 'x', systemInterfaces.random))).kind).toBe('damaged');
    });
});
