import { hexToBytes } from 'viem';
import { describe, expect, it } from 'vitest';
import { readVectors } from './readVectors.ts';
import type { Hex, Signature } from '../messages/operation.ts';
import type { Recovery } from '../messages/recovery.ts';

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const vectors = readVectors();

/** Shared tests of all implementations of Recovery. */
export function describeRecovery(open: () => Promise<Recovery>): void {
  describe('recovers the signer', () => {
    it.each(vectors)('of $name', async ({ digest, signature, signer }) => {
      expect((await open()).recover(hexToBytes(digest), signature)).toBe(signer);
    });

    it('in lower case also from digits in upper case', async () => {
      const { digest, signature, signer } = vectors[0]!;
      const upper: Signature = { v: signature.v, r: `0x${signature.r.slice(2).toUpperCase()}`, s: `0x${signature.s.slice(2).toUpperCase()}` };
      expect((await open()).recover(hexToBytes(digest), upper)).toBe(signer);
    });

    it('and not the one of another digest', async () => {
      const recovery = await open();
      const [first, ...others] = vectors;
      for (const other of others.filter(({ digest }) => digest !== first!.digest).slice(0, 5)) {
        expect(recovery.recover(hexToBytes(other.digest), first!.signature)).not.toBe(first!.signer);
      }
    });
  });

  describe('gives null for', () => {
    const { digest, signature } = vectors[0]!;
    const s = BigInt(signature.s);
    const hostile: readonly [string, Record<string, unknown>][] = [
      ['the twin with s in the upper half', { s: word(order - s), v: signature.v === 27 ? 28 : 27 }],
      ['s just above the half', { s: word(order / 2n + 1n) }],
      ['v = 0', { v: 0 }],
      ['v = 5', { v: 5 }],
      ['v = 29', { v: 29 }],
      ['v as text', { v: '27' }],
      ['v not a number', { v: Number.NaN }],
      ['r = 0', { r: word(0n) }],
      ['s = 0', { s: word(0n) }],
      ['r = the order', { r: word(order) }],
      ['r above the order', { r: word(2n ** 256n - 1n) }],
      ['r that is on no point of the curve', { r: word(5n) }],
      ['r without 0x', { r: signature.r.slice(2) }],
      ['r that is too short', { r: signature.r.slice(0, -2) }],
      ['s that is too long', { s: `${signature.s}00` }],
      ['s with what is no digit', { s: `${signature.s.slice(0, -1)}g` }],
      ['s with a line end', { s: `${signature.s}\n` }],
      ['nothing at all', { r: undefined, s: null }],
    ];
    it.each(hostile)('%s', async (_name, changed) => {
      const recovery = await open();
      const bytes = hexToBytes(digest);
      expect(recovery.recover(bytes, { ...signature, ...changed } as Signature)).toBeNull();
      // A rejected signature must not affect the next call.
      expect(recovery.recover(bytes, signature)).toBe(vectors[0]!.signer);
    });

    it('a digest of other than 32 bytes', async () => {
      expect((await open()).recover(new Uint8Array(31), signature)).toBeNull();
      expect((await open()).recover(new Uint8Array(33), signature)).toBeNull();
    });
  });
}

function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`;
}
