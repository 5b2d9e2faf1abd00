import { shortenJson } from '@vouch/platform/errors/shorten';
import type { Hex } from '../messages/operation.ts';
import type { KeyDerivation } from './deriveKey.ts';
import { KeystoreFault } from './keystoreFault.ts';

/** Checked fields of a keystore file. */
interface ParsedKeystore {
  kdf: KeyDerivation;
  iv: Buffer;
  ciphertext: Buffer;
  mac: Buffer;
  /** Ethereum address, lower case; null if the file has none. */
  address: Hex | null;
}

/** Maximum length in characters. A keystore has about 500 characters. */
const textLengthMax = 65_536;
/** Memory limit: four times geth's standard parameters. Higher costs could stall a small machine for minutes or exhaust its memory. */
const scryptBytesMax = 2 ** 30;
const scryptWorkMax = 2 ** 24;
const pbkdf2RoundsMax = 10_000_000;

/** Parses a keystore file; its content is untrusted. @throws KeystoreFault with a sentence that names the field */
export function parseKeystore(text: string): ParsedKeystore {
  const file = object(parseJson(text), 'the file');
  const { version } = file;
  if (version !== 3) {
    throw new KeystoreFault('unsupported', `The keystore has version ${show(version)}; only version 3, the format of geth and most wallets, is supported.`);
  }
  // The first wallets wrote `Crypto`.
  const crypto = object(file['crypto'] ?? file['Crypto'], 'crypto');
  if (crypto['cipher'] !== 'aes-128-ctr') {
    throw new KeystoreFault('unsupported', `The keystore is encrypted with ${show(crypto['cipher'])}; only aes-128-ctr is supported.`);
  }
  return {
    kdf: parseDerivation(crypto['kdf'], object(crypto['kdfparams'], 'crypto.kdfparams')),
    iv: bytes(object(crypto['cipherparams'], 'crypto.cipherparams')['iv'], 'crypto.cipherparams.iv', 16, 16),
    // Old programs omitted leading zero bytes of the key. Each further missing byte is 256 times less likely; up to four are accepted.
    ciphertext: bytes(crypto['ciphertext'], 'crypto.ciphertext', 28, 32),
    mac: bytes(crypto['mac'], 'crypto.mac', 32, 32),
    address: parseAddress(file['address']),
  };
}

function parseJson(text: string): unknown {
  if (text.length > textLengthMax) {
    throw new KeystoreFault('damaged', `The file has ${text.length} characters; a keystore has about 500, so this file is not a keystore.`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new KeystoreFault('damaged', 'The file is not complete JSON; it may have been truncated while it was copied. Restore it from a backup.');
  }
}

function parseDerivation(name: unknown, parameters: Readonly<Record<string, unknown>>): KeyDerivation {
  const salt = bytes(parameters['salt'], 'crypto.kdfparams.salt', 8, 1_024);
  if (parameters['dklen'] !== 32) throw damaged('crypto.kdfparams.dklen', parameters['dklen'], 'be 32');
  if (name === 'scrypt') return { name, salt, ...parseScrypt(parameters) };
  if (name !== 'pbkdf2') {
    throw new KeystoreFault('unsupported', `The keystore derives its key with ${show(name)}; only scrypt and pbkdf2 are supported.`);
  }
  if (parameters['prf'] !== 'hmac-sha256') throw damaged('crypto.kdfparams.prf', parameters['prf'], 'be "hmac-sha256"');
  const rounds = integer(parameters['c'], 'crypto.kdfparams.c');
  if (rounds > pbkdf2RoundsMax) throw tooCostly(`${rounds} rounds`, `${pbkdf2RoundsMax} rounds`);
  return { name, salt, rounds };
}

function parseScrypt(parameters: Readonly<Record<string, unknown>>): { n: number; r: number; p: number } {
  const n = integer(parameters['n'], 'crypto.kdfparams.n');
  const r = integer(parameters['r'], 'crypto.kdfparams.r');
  const p = integer(parameters['p'], 'crypto.kdfparams.p');
  if (n < 2 || !Number.isInteger(Math.log2(n))) throw damaged('crypto.kdfparams.n', n, 'be a power of two');
  if (128 * n * r > scryptBytesMax) throw tooCostly(`${Math.ceil((128 * n * r) / 2 ** 20)} MB of memory`, `${scryptBytesMax / 2 ** 20} MB`);
  if (n * r * p > scryptWorkMax) throw tooCostly(`${Math.ceil((n * r * p) / 2 ** 21)} times the usual work`, '8 times');
  return { n, r, p };
}

function parseAddress(value: unknown): Hex | null {
  if (value === undefined || value === null || value === '') return null;
  return `0x${bytes(value, 'address', 20, 20).toString('hex')}`;
}

function object(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw damaged(field, value, 'be an object');
  return value as Record<string, unknown>;
}

function bytes(value: unknown, field: string, minimum: number, maximum: number): Buffer {
  const digits = typeof value === 'string' ? value.replace(/^0x/i, '') : '';
  if (digits.length % 2 !== 0 || digits.length < 2 * minimum || digits.length > 2 * maximum || !/^[0-9a-f]+$/i.test(digits)) {
    const how = minimum === maximum ? `${2 * minimum}` : `${2 * minimum} to ${2 * maximum}`;
    // The value is not part of the message, because it may be part of a key.
    throw new KeystoreFault('damaged', `The keystore is damaged: ${field} must be text of ${how} hex digits. Restore the file from a backup.`);
  }
  return Buffer.from(digits, 'hex');
}

function integer(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) throw damaged(field, value, 'be an integer from 1');
  return value;
}

function damaged(field: string, value: unknown, must: string): KeystoreFault {
  return new KeystoreFault('damaged', `The keystore is damaged: ${field} is ${show(value)}; it must ${must}. Restore the file from a backup.`);
}

function tooCostly(asked: string, limit: string): KeystoreFault {
  return new KeystoreFault('too-costly', `Opening the keystore requires ${asked}; more than ${limit} is rejected, because it could block the machine. Store the key in a keystore with standard parameters.`);
}

function show(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value) ?? String(value);
  return shortenJson(text, 40);
}
