import type { Hex } from '@vouch/chain/messages/operation';
import { shortenJson } from '@vouch/platform/errors/shorten';

/** The value of a field, or a sentence that describes the field's fault. */
export type Field<Value> = { value: Value } | { fault: string };

/** Largest value of a uint256. */
const maxUint256 = (1n << 256n) - 1n;

/** Reads an Ethereum address, with or without 0x, in upper or lower case. The result is in lower case. */
export function parseAddress(name: string, given: unknown): Field<Hex> {
  const range = 'an Ethereum address: 40 hex digits, with or without 0x';
  return parseHex(name, given, 40, 40, range);
}

/** Reads 32 bytes, exactly 64 hex digits with or without 0x. The result is in lower case with 0x. */
export function parseBytes32(name: string, given: unknown): Field<Hex> {
  return parseHex(name, given, 64, 64, '32 bytes: 64 hex digits, with or without 0x');
}

/** Reads `r` or `s` of a signature. Up to 64 hex digits are accepted, because some libraries omit leading zeros. */
export function parseSignaturePart(name: string, given: unknown): Field<Hex> {
  return parseHex(name, given, 1, 64, 'text of at most 64 hex digits, with or without 0x');
}

function parseHex(name: string, given: unknown, least: number, most: number, range: string): Field<Hex> {
  const digits = typeof given === 'string' ? given.replace(/^0x/i, '') : '';
  if (typeof given !== 'string' || digits.length < least || digits.length > most || !/^[0-9a-f]*$/i.test(digits)) return refuse(name, given, range);
  return { value: `0x${digits.toLowerCase().padStart(most, '0')}` };
}

/** Reads an integer from 0 to `maximum`, given as a JSON number or as decimal text. */
export function parseInteger(name: string, given: unknown, maximum: number): Field<number> {
  const range = `an integer from 0 to ${maximum}, as a number or as text`;
  const number = typeof given === 'string' && /^\d{1,20}$/.test(given) ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > maximum) return refuse(name, given, range);
  return { value: number };
}

/** Reads a uint256 in seconds, given as a JSON number up to 2^53 - 1 or as decimal text. */
export function parseTime(name: string, given: unknown): Field<bigint> {
  const range = 'seconds since 1970, as an integer or as text';
  if (typeof given === 'number' && Number.isSafeInteger(given) && given >= 0) return { value: BigInt(given) };
  if (typeof given !== 'string' || !/^\d{1,78}$/.test(given)) return refuse(name, given, range);
  const value = BigInt(given);
  return value > maxUint256 ? refuse(name, given, range) : { value };
}

function refuse(name: string, given: unknown, range: string): { fault: string } {
  return { fault: given === undefined ? `${name} is required; it must be ${range}.` : `${name} is ${show(given)}; it must be ${range}.` };
}

/**
 * Formats a value as JSON of at most 80 characters. Bodies can be long, but their nesting is too shallow to exhaust
 * JSON.stringify.
 */
export function show(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
  return shortenJson(text, 80);
}
