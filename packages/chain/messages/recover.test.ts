import { toHex } from 'viem';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, domainHash } from './digest.ts';
import { arbitraryOperation } from '../testing/arbitraryOperation.ts';
import { readVectors } from '../testing/readVectors.ts';
import { createLibauthRecovery } from './libauthRecovery.ts';
import type { Signature } from './operation.ts';
import { openRecovery } from './recover.ts';
import type { Recovery } from './recovery.ts';
import { describeRecovery } from '../testing/recovery.suite.ts';
import { createSecp256k1Recovery } from './secp256k1Recovery.ts';
import { signOperation } from './sign.ts';

const native = createSecp256k1Recovery();
if (native === null) console.warn(`secp256k1 has no addon for ${process.platform}-${process.arch}: only libauth is tested`);
const libauth = createLibauthRecovery();

describe('libauth', () => describeRecovery(() => libauth));
describe.skipIf(native === null)('secp256k1', () => describeRecovery(async () => native!));

describe('the recovery that is opened', () => {
  it('is the native one where there is one', async () => {
    expect((await openRecovery()).name).toBe(native === null ? 'libauth' : 'secp256k1');
  });

  it.each<[string, Recovery | null]>([
    ['is missing', null],
    ['recovers nothing', { name: 'secp256k1', recover: () => null }],
    ['recovers somebody else', { name: 'secp256k1', recover: () => `0x${'11'.repeat(20)}` }],
    ['throws', { name: 'secp256k1', recover: () => { throw new Error('wrong CPU'); } }],
  ])('is the other one where the addon %s', async (_how, broken) => {
    expect((await openRecovery(broken)).name).toBe('libauth');
  });

  it.skipIf(native === null)('says of any signature what the other says', async () => {
    const other = await libauth;
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(fc.property(bytes, bytes, bytes, fc.constantFrom(27 as const, 28 as const), (digest, r, s, v) => {
      s[0]! &= 0x7f;
      const signature: Signature = { v, r: toHex(r), s: toHex(s) };
      expect(native!.recover(digest, signature)).toBe(other.recover(digest, signature));
    }), { numRuns: 200 });
  });
});

describe('signing', () => {
  it('gives the signature that eth-account gives', async () => {
    for (const { operation, domain, privateKey, signature } of readVectors()) {
      expect(await signOperation(operation, domain, privateKey)).toEqual(signature);
    }
  });

  it('gives what is recovered, for any operation', async () => {
    const recovery = await openRecovery();
    const { domain, privateKey, signer } = readVectors()[2]!;
    await fc.assert(fc.asyncProperty(arbitraryOperation, async (operation) => {
      const signature = await signOperation(operation, domain, privateKey);
      expect(recovery.recover(digestOf(operation, domainHash(domain)), signature)).toBe(signer);
    }), { numRuns: 50 });
  });

  it('refuses what is no key', async () => {
    const { operation, domain } = readVectors()[0]!;
    await expect(signOperation(operation, domain, '0x00')).rejects.toThrow();
    await expect(signOperation(operation, domain, `0x${'00'.repeat(32)}`)).rejects.toThrow();
  });

});
