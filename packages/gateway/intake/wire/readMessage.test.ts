import { Problem } from '@vouch/platform/errors/problem';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialectOf, parseMessage } from './parseMessage.ts';

const signature = { signer: `0x${'Ab'.repeat(20)}`, v: 28, r: '1'.repeat(64), s: '2'.repeat(64) };

function faultOf(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('a body', () => {
  it.each([
    ['enter', { replaced_node: `0x${'C1'.repeat(20)}`, expired_at: 1_720_000_000 }, { replacedNode: 'c1'.repeat(20), expiredAt: '1720000000' }, { kind: 'enter', replacedNode: `0x${'c1'.repeat(20)}`, expiredAt: 1_720_000_000n }],
    ['exit', { expired_at: 5 }, { expiredAt: '5' }, { kind: 'exit', expiredAt: 5n }],
    ['commission', { commission_rate: 300, expired_at: 5 }, { commissionRate: '300', expiredAt: '5' }, { kind: 'commission', commissionRate: 300, expiredAt: 5n }],
    ['claimer', { claimer: `0x${'0'.repeat(40)}`, expired_at: 5 }, { claimer: '0'.repeat(40), expiredAt: 5 }, { kind: 'claimer', claimer: `0x${'0'.repeat(40)}`, expiredAt: 5n }],
    ['report', { attestation_id: `0x${'AB'.repeat(32)}`, result: 0, index: 0 }, { attestationId: 'ab'.repeat(32), result: 0, index: '0' }, { kind: 'report', attestationId: `0x${'ab'.repeat(32)}`, result: 0, index: 0 }],
  ] as const)('of %s says the same in both dialects', (kind, documented, field, operation) => {
    const one = parseMessage(kind, { ...documented, ...signature });
    expect(one).toEqual({ operation, signer: `0x${'ab'.repeat(20)}`, signature: { v: 28, r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}` }, dialect: 'documented' });
    const other = parseMessage(kind, { ...field, ...signature, v: '1', r: `0x${signature.r}`, version: '' });
    expect({ ...other, dialect: one.dialect }).toEqual(one);
    if (kind !== 'claimer') expect(other.dialect).toBe('field');
  });

  it('may leave out leading zeros of r and s, and nothing of an id', () => {
    expect(parseMessage('exit', { expired_at: 5, ...signature, r: '7' }).signature.r).toBe(`0x${'7'.padStart(64, '0')}`);
    expect(faultOf(() => parseMessage('report', { attestation_id: 'ab', result: 0, index: 0, ...signature })).detail).toContain('attestation_id is "ab"');
  });

  it.each([
    [{ expired_at: 1.5 }], [{ expired_at: -1 }], [{ expired_at: 2 ** 53 }], [{ expired_at: '1'.repeat(79) }], [{ expired_at: '9'.repeat(78) }], [{ expired_at: '0x10' }],
    [{ expired_at: ' 1' }], [{ expired_at: true }], [{ expired_at: null }], [{ signer: `0x${'a'.repeat(41)}` }], [{ v: 27.5 }], [{ v: '27 ' }], [{ r: '' }], [{ s: `0x${'1'.repeat(65)}` }],
  ])('with %j is refused by name', (change) => {
    const problem = faultOf(() => parseMessage('exit', { expired_at: 5, ...signature, ...change }));
    expect([problem.code, problem.detail.startsWith(Object.keys(change)[0] as string)]).toEqual(['message-invalid', true]);
  });

  it('gives a message or a problem with a sentence, whatever it is', () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(signature)), fc.stringMatching(/^[0-9a-f]{40}$/));
    const fields = fc.constantFrom('expired_at', 'expiredAt', 'signer', 'v', 'r', 's', 'claimer', 'result', 'index', 'attestation_id', 'replaced_node', 'commissionRate', '__proto__', 'constructor');
    const kinds = fc.constantFrom('enter', 'exit', 'commission', 'claimer', 'report');
    fc.assert(fc.property(kinds, fc.dictionary(fields, value), (kind, body) => {
      try {
        parseMessage(kind as 'enter', body);
      } catch (error) {
        expect(error).toBeInstanceOf(Problem);
        expect((error as Problem).detail.length).toBeLessThan(2_000);
      }
    }));
  });
});

describe('the dialect', () => {
  it('is that of the field where one key is in camelCase', () => {
    expect([{ expiredAt: 1 }, { attestationId: 1, result: 0 }].map(dialectOf)).toEqual(['field', 'field']);
    expect([{ expired_at: 1 }, {}, null, [], 'x', undefined].map(dialectOf)).toEqual(Array(6).fill('documented'));
  });
});
