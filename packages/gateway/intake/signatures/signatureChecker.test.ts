import { digestOf, domainHash } from '@vouch/chain/messages/digest';
import { openRecovery } from '@vouch/chain/messages/recover';
import { signDigest } from '@vouch/chain/messages/sign';
import { Problem } from '@vouch/platform/errors/problem';
import { privateKeyToAddress } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
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
