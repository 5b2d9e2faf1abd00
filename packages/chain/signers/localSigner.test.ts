import { describe, expect, it } from 'vitest';
import { addressOfKey } from '../keystore/addressOfKey.ts';
import { completeSignature, parseDerSignature } from './completeSignature.ts';
import { createLocalSigner } from './localSigner.ts';
import { describeSigner } from '../testing/signers/signers.suite.ts';

const key = `0x${'5a'.repeat(32)}` as const;

describeSigner('a key in memory', async () => ({
  signer: createLocalSigner(key),
  address: addressOfKey(key)!,
  secrets: [key.slice(2)],
  faults: { 'wrong-key': async () => createLocalSigner(`0x${'00'.repeat(32)}`) },
  close: async () => {},
}));

describe('a signature', () => {
  const digest = Buffer.alloc(32, 7);
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

  it('with a high s becomes the same one with a low s', async () => {
    const { r, s } = await import('@noble/curves/secp256k1').then(({ secp256k1 }) => secp256k1.sign(digest, key.slice(2)));
    const address = addressOfKey(key)!;
    const low = completeSignature({ r, s }, digest, address, 'a test');
    expect(completeSignature({ r, s: order - s }, digest, address, 'a test')).toEqual(low);
    expect(low.s * 2n).toBeLessThan(order);
  });

  it.each([[0n, 1n], [1n, 0n], [order, 1n], [1n, order], [2n ** 256n, 1n], [5n, 6n]])('of numbers that are none is refused: %s, %s', (r, s) => {
    expect(() => completeSignature({ r, s }, digest, addressOfKey(key)!, 'The service')).toThrow(/^The service returned a signature that is not of 0x/);
  });

  it.each(['', '30', '3006020101020101ff', '3006020100020101', '300602018102010a', 'ff'.repeat(70)])('in damaged DER is refused: %s', (der) => {
    expect(() => completeSignature(parseDerSignature(Buffer.from(der, 'hex'), 'The service'), digest, addressOfKey(key)!, 'The service')).toThrow(/^The service (?:answered with|did not answer with)/);
  });
});
