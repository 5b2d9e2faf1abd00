import { hash } from 'node:crypto';
import type { Random } from '../process/systemInterfaces.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'vch_';
const secretBytes = 32;
/** 62^43 > 2^256 and 62^6 > 2^32, so each value fits its fixed length. */
const secretLength = 43;
const checksumLength = 6;
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);
/** Number of characters of a key that lists show. Six characters of the secret leave 220 unknown bits. */
export const shownLength = prefix.length + 6;

/** Replaces the keys in a text, and what begins like a key, by `vch_…`. */
export function hideKeys(text: string): string {
  return text.replaceAll(/vch_\w{4,}/g, `${prefix}…`);
}

/** Creates a key: `vch_`, 256 random bits and a checksum, both in base 62. Its 53 characters need no escaping in forms and shells. */
export function makeApiKey(random: Pick<Random, 'bytes'>): string {
  const secret = prefix + toBase62(random.bytes(secretBytes), secretLength);
  return secret + checksumOf(secret);
}

/** Returns whether a text has the form of a key and the right checksum. The key may still be unknown to the server. */
export function isWellFormed(text: string): boolean {
  return shape.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** Returns the stored form of a key. Keys have 256 random bits, so a fast hash is sufficient. */
export function hashApiKey(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Returns the hash as text, which is the name of a key in caches. Requesting text directly costs a quarter of converting the bytes. */
export function nameOfKey(text: string): string {
  return hash('sha256', text, 'base64');
}

/** Detects typing errors, and lets secret scanners recognize keys offline. */
function checksumOf(secret: string): string {
  return toBase62(hashApiKey(secret).subarray(0, 4), checksumLength);
}

function toBase62(bytes: Buffer, length: number): string {
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let position = 0; position < length; position++) {
    text = alphabet.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text;
}
