import fc from 'fast-check';
import { hashTypedData, keccak256 as viemKeccak, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { digestOf, domainHash } from './digest.ts';
import { arbitraryDomain, arbitraryOperation } from '../testing/arbitraryOperation.ts';
import { readVectors } from '../testing/readVectors.ts';
import { keccak256 } from './keccak256.ts';
import type { Operation } from './operation.ts';
import { encodeType, typedDataOf, type TypedData } from './typedData.ts';

const local = { name: 'ProtocolService', version: '1.0.0', chainId: 31_337n };

describe('the digest of a message', () => {
  it.each(readVectors())('is what eth-account signs ($name)', ({ operation, domain, domainHash: hash, digest }) => {
    expect(toHex(domainHash(domain))).toBe(hash);
    expect(toHex(digestOf(operation, domainHash(domain)))).toBe(digest);
  });

  it('has the domain hashes that are in use', () => {
    expect(toHex(domainHash(local))).toBe('0xca0dc827209e0b62f93ab46d3f2251f51b0dc6c5f4e622b0da6bda683b9158a8');
    expect(toHex(domainHash({ ...local, chainId: 42_161n }))).toBe('0xdbf1a3666a0676bbc1cbe8c373afafc957265bf654473f81cd7d586b7acfaf43');
  });

  it('is that of a general encoder for every operation and domain', () => {
    fc.assert(fc.property(arbitraryOperation, arbitraryDomain, (operation, domain) => {
      expect(toHex(digestOf(operation, domainHash(domain)))).toBe(hashTypedData(typedDataOf(operation, domain)));
    }), { numRuns: 500 });
  });

  it('is the same whether uint32 and uint8 are given as text or as numbers', () => {
    fc.assert(fc.property(arbitraryOperation, (operation) => {
      const asText = typedDataOf(operation, local);
      const asNumbers = { ...asText, message: numbersIn(asText) };
      expect(Object.values(asText.message).every((value) => typeof value === 'string')).toBe(true);
      expect(hashTypedData(asNumbers)).toBe(hashTypedData(asText));
    }), { numRuns: 200 });
  });

  it('does not depend on the case of hex digits', () => {
    const upper: Operation = { kind: 'claimer', claimer: `0x${'5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'}`, expiredAt: 1n };
    const lower: Operation = { ...upper, claimer: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' };
    expect(digestOf(upper, domainHash(local))).toEqual(digestOf(lower, domainHash(local)));
  });

  it.each<[string, Operation]>([
    ['commissionRate', { kind: 'commission', commissionRate: 2 ** 32, expiredAt: 1n }],
    ['commissionRate', { kind: 'commission', commissionRate: 0.5, expiredAt: 1n }],
    ['commissionRate', { kind: 'commission', commissionRate: -1, expiredAt: 1n }],
    ['expiredAt', { kind: 'exit', expiredAt: 2n ** 256n }],
    ['expiredAt', { kind: 'exit', expiredAt: -1n }],
    ['claimer', { kind: 'claimer', claimer: '0x12', expiredAt: 1n }],
    ['replacedNode', { kind: 'enter', replacedNode: `0x${'zz'.repeat(20)}`, expiredAt: 1n }],
    ['attestationId', { kind: 'report', attestationId: `0x${'00'.repeat(31)}`, result: 0, index: 0 }],
    ['result', { kind: 'report', attestationId: `0x${'00'.repeat(32)}`, result: 256, index: 0 }],
    ['index', { kind: 'report', attestationId: `0x${'00'.repeat(32)}`, result: 0, index: Number.NaN }],
  ])('refuses a %s that does not fit its type', (name, operation) => {
    expect(() => digestOf(operation, domainHash(local))).toThrow(name);
  });

  it('names the types as they are signed', () => {
    expect(encodeType('enter')).toBe('NodeEnterData(address replacedNode,uint256 expiredAt)');
    expect(encodeType('exit')).toBe('NodeExitData(uint256 expiredAt)');
    expect(encodeType('commission')).toBe('NodeModifyCommissionRateData(uint32 commissionRate,uint256 expiredAt)');
    expect(encodeType('claimer')).toBe('NodeSetRewardClaimerData(address claimer,uint256 expiredAt)');
    expect(encodeType('report')).toBe('VerificationData(bytes32 attestationID,uint8 result,uint32 index)');
  });
});

describe('keccak256', () => {
  it('is that of another implementation at every length around its block of 136 bytes', () => {
    for (let length = 0; length <= 420; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, place) => (place * 7 + length) & 0xff);
      expect(toHex(keccak256(bytes))).toBe(viemKeccak(bytes));
    }
  });

  it('leaves what it returned before as it was', () => {
    const first = keccak256(new Uint8Array([1]));
    const kept = toHex(first);
    keccak256(new Uint8Array([2]));
    expect(toHex(first)).toBe(kept);
  });
});

function numbersIn({ types, primaryType, message }: TypedData): Record<string, unknown> {
  return Object.fromEntries((types[primaryType] ?? []).map(({ name, type }) => {
    const value = message[name] as string;
    return [name, type === 'uint32' || type === 'uint8' ? Number(value) : type === 'uint256' ? BigInt(value) : value];
  }));
}
