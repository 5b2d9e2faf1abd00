import { shortenJson } from '@vouch/platform/errors/shorten';
import type { Hex } from '../messages/operation.ts';

/** Default maximum of bytes per value: 1 MiB, twice the largest transaction that nodes relay. */
const bytesMax = 1 << 20;

/** Parses a quantity such as `0x1f`. Like all `read…` functions here, throws an Error that says what the value is instead. */
export function parseQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw new Error(`${show(value)} is not a quantity`);
  return BigInt(value);
}

/** Parses a quantity that must be a safe integer: a block number, a nonce, a timestamp. */
export function parseInteger(value: unknown): number {
  const number = Number(parseQuantity(value));
  if (!Number.isSafeInteger(number)) throw new Error(`${show(value)} is too large`);
  return number;
}

/**
 * Parses bytes and returns lower-case hex.
 * @param length the exact number of bytes, if known
 * @param lengthMax the maximum number of bytes
 */
export function parseBytes(value: unknown, length?: number, lengthMax = bytesMax): Hex {
  if (typeof value !== 'string' || value.length > 2 + 2 * lengthMax || value.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(value)) {
    throw new Error(`${show(value)} is not bytes`);
  }
  if (length !== undefined && value.length !== 2 + 2 * length) throw new Error(`${show(value)} does not have ${length} bytes`);
  return value.toLowerCase() as Hex;
}

export function parseAddress(value: unknown): Hex {
  return parseBytes(value, 20);
}

export function parseHash(value: unknown): Hex {
  return parseBytes(value, 32);
}

/** Checks that the value is an object with string keys. */
export function parseObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${show(value)} is not an object`);
  return value as Record<string, unknown>;
}

export function parseList<Member>(value: unknown, read: (member: unknown) => Member): Member[] {
  if (!Array.isArray(value)) throw new Error(`${show(value)} is not a list`);
  return value.map(read);
}

/** Wraps a parser so that null and undefined, which nodes send for missing things, give null. */
export function parseNullable<Result>(read: (value: unknown) => Result): (value: unknown) => Result | null {
  return (value) => (value === null || value === undefined ? null : read(value));
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : value === null ? 'null' : `a ${typeof value}`;
  return shortenJson(text, 60);
}
