import type { Hex } from '../messages/operation.ts';

/** Longest bytes of one value that we take: twice the largest transaction that nodes pass on. */
const bytesMax = 1 << 20;

/** A quantity such as `0x1f`. @throws Error saying what it is instead; this and all others here */
export function readQuantity(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw new Error(`${show(value)} is no quantity`);
  return BigInt(value);
}

/** A quantity that is a safe integer: a block number, a nonce, a time. */
export function readInteger(value: unknown): number {
  const number = Number(readQuantity(value));
  if (!Number.isSafeInteger(number)) throw new Error(`${show(value)} is too large`);
  return number;
}

/**
 * Bytes, in lower case.
 * @param length their number, where it is known
 * @param lengthMax the most that are taken otherwise
 */
export function readBytes(value: unknown, length?: number, lengthMax = bytesMax): Hex {
  if (typeof value !== 'string' || value.length > 2 + 2 * lengthMax || value.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(value)) {
    throw new Error(`${show(value)} is not bytes`);
  }
  if (length !== undefined && value.length !== 2 + 2 * length) throw new Error(`${show(value)} has not ${length} bytes`);
  return value.toLowerCase() as Hex;
}

export function readAddress(value: unknown): Hex {
  return readBytes(value, 20);
}

export function readHash(value: unknown): Hex {
  return readBytes(value, 32);
}

/** An object with string keys. */
export function readObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${show(value)} is no object`);
  return value as Record<string, unknown>;
}

export function readList<Member>(value: unknown, read: (member: unknown) => Member): Member[] {
  if (!Array.isArray(value)) throw new Error(`${show(value)} is no list`);
  return value.map(read);
}

/** Null or undefined, which nodes give for what is not there, or the value read. */
export function readNullable<Result>(read: (value: unknown) => Result): (value: unknown) => Result | null {
  return (value) => (value === null || value === undefined ? null : read(value));
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : value === null ? 'null' : `a ${typeof value}`;
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
