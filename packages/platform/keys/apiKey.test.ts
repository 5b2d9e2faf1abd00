import { expect, test } from 'vitest';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { hashApiKey, isWellFormed, makeApiKey } from './apiKey.ts';
import { allows, isScope, scopeNames } from './scopes.ts';

test('a made key is well-formed and has 53 characters, for the smallest, largest and any random bytes', () => {
  const chances = [() => Buffer.alloc(32), () => Buffer.alloc(32, 255), systemInterfaces.random.bytes];
  for (const bytes of chances) {
    const key = makeApiKey({ bytes: () => bytes(32) });
    expect(key).toMatch(/^vch_[0-9A-Za-z]{49}$/);
    expect(isWellFormed(key)).toBe(true);
  }
});

test('different random bytes make different keys', () => {
  const keys = new Set(Array.from({ length: 256 }, (_, n) => makeApiKey({ bytes: () => Buffer.alloc(32, n) })));
  expect(keys.size).toBe(256);
});

test('any one changed character breaks the checksum', () => {
  const key = makeApiKey({ bytes: () => Buffer.alloc(32, 77) });
  for (let position = 0; position < key.length; position++) {
    const other = key[position] === 'x' ? 'y' : 'x';
    expect(isWellFormed(key.slice(0, position) + other + key.slice(position + 1)), `position ${position}`).toBe(false);
  }
});

test('other texts are not well-formed', () => {
  const key = makeApiKey(systemInterfaces.random);
  for (const text of ['', 'vch_', ` ${key}`, `${key}\n`, key.slice(1), key + key, 'x'.repeat(1_000_000)]) {
    expect(isWellFormed(text)).toBe(false);
  }
});

test('the stored form is the SHA-256 of the key', () => {
  expect(hashApiKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('admin includes every scope, and no other scope includes another', () => {
  for (const held of scopeNames) {
    for (const needed of scopeNames) expect(allows([held], needed)).toBe(held === needed || held === 'admin');
  }
  expect(allows([], 'data:read')).toBe(false);
  expect(['toString', '__proto__', 'Admin', ''].some(isScope)).toBe(false);
});
