import { digestOf, domainHash } from '@vouch/chain/messages/digest';
import { openRecovery } from '@vouch/chain/messages/recover';
import { signDigest } from '@vouch/chain/messages/sign';
import type { Hex } from '@vouch/chain/messages/operation';
import { Problem } from '@vouch/platform/errors/problem';
import { parseSignature } from 'viem';
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { likelyDomains } from './likelyDomains.ts';
import { SignatureChecker } from './signatureChecker.ts';

const key = `0x${'77'.repeat(32)}` as const;
const signer = privateKeyToAddress(key).toLowerCase() as `0x${string}`;
const domain = domainHash({ name: 'ProtocolService', version: '1.0.0', chainId: 31_337n });

async function signed(expiredAt: bigint) {
  const operation = { kind: 'exit', expiredAt } as const;
  const digest = digestOf(operation, domain);
  const signature = await signDigest(`0x${Buffer.from(digest).toString('hex')}`, key);
  return { digest, message: { operation, signer, signature, dialect: 'documented' as const } };
}

describe('a burst of signatures', () => {
  it('is checked a few at a time, so that other work gets its turn in between', async () => {
    const checker = new SignatureChecker(await openRecovery(), 'the domain');
    const messages = await Promise.all(Array.from({ length: 200 }, (_, at) => signed(BigInt(at))));
    let done = 0;
    const seen: number[] = [];
    const checks = messages.map(async ({ digest, message }) => {
      await checker.check(digest, message);
      done++;
    });
    while (done < messages.length) {
      await new Promise(setImmediate);
      seen.push(done);
    }
    await Promise.all(checks);
    expect(Math.max(...seen.map((count, at) => count - (seen[at - 1] ?? 0)))).toBeLessThanOrEqual(32);
    expect(seen.length).toBeGreaterThan(5);
  });

  it('with a wrong one among them refuses that one alone', async () => {
    const checker = new SignatureChecker(await openRecovery(), 'the domain');
    const [first, second, third] = [await signed(1n), await signed(2n), await signed(3n)];
    const results = await Promise.allSettled([
      checker.check(first.digest, first.message), checker.check(first.digest, second.message), checker.check(third.digest, third.message),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const { reason } = results[1] as PromiseRejectedResult;
    expect([(reason as Problem).code, (reason as Problem).detail.includes('the domain')]).toEqual(['signer-mismatch', true]);
  });
});

describe('a signature of the signer for another domain', () => {
  const right = { name: 'ProtocolService', version: '1.0.0', chainId: 31_337n };
  const contract = `0x${'5a'.repeat(20)}` as const;
  const account = privateKeyToAccount(key);

  async function refusal(given: { name: string; version?: string; chainId?: bigint; verifyingContract?: Hex }): Promise<string> {
    const checker = new SignatureChecker(await openRecovery(), 'the right domain', [], likelyDomains(right, contract));
    const operation = { kind: 'exit', expiredAt: 7n } as const;
    const hash = await account.signTypedData({
      domain: given, primaryType: 'NodeExitData', message: { expiredAt: 7n },
      types: { NodeExitData: [{ name: 'expiredAt', type: 'uint256' }] },
    });
    const { r, s, yParity } = parseSignature(hash);
    const digest = digestOf(operation, domain);
    const checked = checker.check(digest, { operation, signer, signature: { v: yParity === 0 ? 27 : 28, r, s }, dialect: 'documented' });
    return checked.then(() => 'accepted', ({ code, detail }: Problem) => `${code}: ${detail}`);
  }

  it.each([
    ['chain id', { ...right, chainId: 42_161n }, 'its domain has chainId 42161 instead of 31337.'],
    ['version', { ...right, version: '1' }, 'its domain has version 1 instead of 1.0.0.'],
    ['absent version', { name: right.name, chainId: right.chainId }, 'its domain has no version.'],
    ['absent chain id', { name: right.name, version: right.version }, 'its domain has no chainId.'],
    ['contract', { ...right, verifyingContract: contract }, `its domain has verifyingContract ${contract}, and must have none.`],
  ])('is refused with the %s that differs', async (_, given, words) => {
    const said = await refusal(given);
    expect(said).toContain(words);
    expect(said).toMatch(/^signer-mismatch: The signature is of the signer 0x[0-9a-fA-F]{40}, but for another domain: .* again for the domain the right domain/);
  });

  it('that nobody can guess is refused with the right domain', async () => {
    expect(await refusal({ ...right, chainId: 77_777n })).toMatch(/^signer-mismatch: The signature over these fields is of 0x/);
    expect(await refusal(right)).toBe('accepted');
  });

  it('is not searched for while other signatures wait, so that wrong ones delay right ones little', async () => {
    const recovery = await openRecovery();
    let recoveries = 0;
    const counted = { name: recovery.name, recover: (...given: Parameters<typeof recovery.recover>) => { recoveries += 1; return recovery.recover(...given); } };
    const checker = new SignatureChecker(counted, 'the right domain', [], likelyDomains(right, contract));
    const [first, second] = [await signed(1n), await signed(2n)];
    await Promise.allSettled(Array.from({ length: 100 }, () => checker.check(first.digest, second.message)));
    expect(recoveries).toBe(100 + likelyDomains(right, contract).length);
  });

  it('names the usual domain name if the settings have a different one', () => {
    const said = likelyDomains({ ...right, name: 'Other', chainId: 5n }, contract).map(({ difference }) => difference);
    expect(said).toContain('its domain has name ProtocolService instead of Other');
    expect(said.length).toBeLessThanOrEqual(10);
  });
});
