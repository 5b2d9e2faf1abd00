import { parseTransaction, recoverMessageAddress, recoverTransactionAddress, type TransactionSerializedEIP1559, type TransactionSerializedLegacy } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Hex } from '../../messages/operation.ts';
import type { Signer, UnsignedTransaction } from '../../signers/signer.ts';
import { SignerFault, type SignerFaultKind } from '../../signers/signerFault.ts';

/** A Signer implementation to test. */
interface SignerUnderTest {
  signer: Signer;
  /** The key's Ethereum address, computed without the signer. */
  address: Hex;
  /** Texts that must not appear in errors and names: the key, tokens, passwords. */
  secrets: readonly string[];
  /** For each fault that the service can cause: opens a signer that fails with this fault. */
  faults: Readonly<Partial<Record<SignerFaultKind, () => Promise<Signer>>>>;
  close(): Promise<void>;
}

const half = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const target = `0x${'d4'.repeat(20)}` as const;

const transactions: readonly [string, UnsignedTransaction][] = [
  ['a batch', { chainId: 42_161n, nonce: 17, to: target, data: `0xb50bd0d4${'ab'.repeat(3_000)}`, gasLimit: 16_000_000n, maxFeeWei: 30_000_000_000n, priorityFeeWei: 1_000_000_000n }],
  ['an empty transfer that uses up a nonce', { chainId: 31_337n, nonce: 0, to: target, data: '0x', gasLimit: 21_000n, maxFeeWei: 1n, priorityFeeWei: 0n }],
  ['a contract that is made', { chainId: 1n, nonce: 70_000, to: null, data: `0x60${'80'.repeat(200)}`, gasLimit: 5_000_000n, maxFeeWei: 2_000_000_000n, priorityFeeWei: 7n }],
  ['a transfer of ether', { chainId: 10n, nonce: 3, to: target, data: '0x', value: 10n ** 18n, gasLimit: 21_000n, maxFeeWei: 5n, priorityFeeWei: 5n }],
];

/**
 * Shared tests of all Signer implementations.
 * @param chainId the only chain id that the service signs for, if it is restricted
 */
export function describeSigner(what: string, open: () => Promise<SignerUnderTest>, chainId?: bigint): void {
  describe(what, () => {
    let opened: SignerUnderTest;
    beforeAll(async () => { opened = await open(); });
    afterAll(() => opened?.close());

    const given = chainId === undefined ? transactions : transactions.map(([name, each]) => [name, { ...each, chainId }] as const);

    it('has the address of its key, in lower case, and a name for people', async () => {
      const { signer, address } = opened;
      expect(signer.address).toBe(address.toLowerCase());
      expect(signer.name.length).toBeGreaterThan(3);
    });

    it.each(given)('signs %s as it was asked, with its key and a low s', async (_what, asked) => {
      const { signer } = opened;
      const { raw, hash } = await signer.signTransaction(asked);
      const serializedTransaction = raw as TransactionSerializedEIP1559;
      expect((await recoverTransactionAddress({ serializedTransaction })).toLowerCase()).toBe(signer.address);
      const { r, s, yParity, v: _v, ...fields } = parseTransaction(serializedTransaction);
      expect({ r: r?.length, yParity: [0, 1].includes(yParity ?? 2) }).toEqual({ r: 66, yParity: true });
      expect(BigInt(s!)).toBeLessThanOrEqual(half);
      expect(fields).toEqual({
        type: 'eip1559', chainId: Number(asked.chainId), gas: asked.gasLimit, maxFeePerGas: asked.maxFeeWei,
        ...(asked.nonce === 0 ? { nonce: 0 } : { nonce: asked.nonce }),
        ...(asked.to === null ? {} : { to: asked.to }),
        ...(asked.data === '0x' ? {} : { data: asked.data }),
        ...(asked.value === undefined ? {} : { value: asked.value }),
        ...(asked.priorityFeeWei === 0n ? {} : { maxPriorityFeePerGas: asked.priorityFeeWei }),
      });
      expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    });

    it('signs a transaction of the type before EIP-1559, for a chain without base fees', async () => {
      const { signer } = opened;
      const asked: UnsignedTransaction = { ...given[0]![1], data: '0x12', priorityFeeWei: given[0]![1].maxFeeWei, legacy: true };
      const { raw } = await signer.signTransaction(asked);
      expect((await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerializedLegacy })).toLowerCase()).toBe(signer.address);
      expect(parseTransaction(raw)).toMatchObject({ type: 'legacy', chainId: Number(asked.chainId), gasPrice: asked.maxFeeWei, nonce: asked.nonce, to: target, data: '0x12' });
    });

    it('signs twenty transactions, of which both recovery ids come up', async () => {
      const { signer } = opened;
      const parities = new Set<number>();
      for (let nonce = 0; nonce < 20; nonce += 1) {
        const { raw } = await signer.signTransaction({ ...given[1]![1], nonce });
        const { yParity, s } = parseTransaction(raw as TransactionSerializedEIP1559);
        expect(BigInt(s!)).toBeLessThanOrEqual(half);
        parities.add(yParity!);
      }
      expect([...parities].sort()).toEqual([0, 1]);
    });

    it('signs a text', async () => {
      const { signer } = opened;
      const signature = await signer.signText('a text of a test');
      expect((await recoverMessageAddress({ message: 'a text of a test', signature })).toLowerCase()).toBe(signer.address);
    });

    it('signs nothing for a signal that is aborted', async () => {
      const { signer } = opened;
      const reason = new Error('the process ends');
      await expect(signer.signTransaction(given[1]![1], AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    it('names what fails, shows no secret, and gives no signature', async () => {
      const { faults, secrets, signer } = opened;
      for (const secret of secrets) expect(signer.name).not.toContain(secret);
      for (const [kind, make] of Object.entries(faults)) {
        const failure = await make().then((failing) => failing.signTransaction(given[1]![1])).then(() => null, (error: unknown) => error);
        expect(failure, kind).toBeInstanceOf(SignerFault);
        expect((failure as SignerFault).kind, (failure as SignerFault).message).toBe(kind);
        expect((failure as SignerFault).message).toMatch(/^[\s\S]{20,600}$/);
        const shown = showAll(failure);
        for (const secret of secrets) expect(shown).not.toContain(secret);
      }
    });
  });
}

/** Returns everything that a log could show of an error, including its causes. */
function showAll(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? '';
  return [error.message, error.stack ?? '', JSON.stringify(error, Object.getOwnPropertyNames(error)), error.cause === undefined ? '' : showAll(error.cause)].join('\n');
}
