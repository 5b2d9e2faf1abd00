import { hash } from 'node:crypto';
import type { Random } from '../process/doors.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'vch_';
const secretBytes = 32;
/** 62^43 > 2^256 and 62^6 > 2^32: every value fits into its fixed width. */
const secretLength = 43;
const checksumLength = 6;
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);
/** How much of a key a list may show: 6 characters of the secret leave 220 unknown bits. */
export const shownLength = prefix.length + 6;

/** Makes a key: `vch_`, 256 random bits and a checksum, both in base 62; 53 characters that no form or shell changes. */
export function makeApiKey(random: Pick<Random, 'bytes'>): string {
  const secret = prefix + toBase62(random.bytes(secretBytes), secretLength);
  return secret + checksumOf(secret);
}

/** Whether a text has the form of our keys with the right checksum; says nothing about whether it is known. */
export function isWellFormed(text: string): boolean {
  return shape.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The stored form of a key. At 256 bits of entropy a fast hash is enough. */
export function hashApiKey(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The hash as text, by which a key is remembered; asked for as text it costs a quarter of making it from bytes. */
export function nameOfKey(text: string): string {
  return hash('sha256', text, 'base64');
}

/** Finds typing errors and lets scanners tell a real key from a similar text without asking us. */
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
