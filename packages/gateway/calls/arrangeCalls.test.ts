import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { expect, test } from 'vitest';
import { arrangeCalls, wrapCalls, type SignedOperation } from './arrangeCalls.ts';

const address = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;
const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const service = address(0x5e);

function signed(operation: Operation, signer: number): SignedOperation {
  return { requestId: '', operation, digest: word(1), signer: address(signer), signature: { v: 27, r: word(2), s: word(3) } };
}
const report = (attestation: number, signer: number): SignedOperation => signed({ kind: 'report', attestationId: word(attestation), result: 0, index: 1 }, signer);
const exit = (signer: number): SignedOperation => signed({ kind: 'exit', expiredAt: 9n }, signer);

test('every operation stands in one call, reports of one attestation together, and what a signer sent stays in its order', () => {
  const given = record({ kind: constantFrom('exit' as const, 'report' as const), signer: integer({ min: 1, max: 4 }), attestation: integer({ min: 1, max: 3 }) });
  assert(property(array(given, { maxLength: 30 }), (wishes) => {
    const operations = wishes.map(({ kind, signer, attestation }) => (kind === 'exit' ? exit(signer) : report(attestation, signer)));
    const calls = arrangeCalls(operations);
    const order = calls.flatMap((call) => (call.kind === 'single' ? [call.member] : call.members));
    expect(order.toSorted((left, right) => left - right)).toEqual(operations.map((_, place) => place));
    for (const [place, { operation, signer }] of operations.entries()) {
      const earlier = operations.slice(0, place).map((other, at) => ({ other, at })).filter(({ other }) => other.signer === signer);
      for (const { other, at } of earlier) {
        // The order of two reports does not matter.
        if (operation.kind !== 'report' || other.operation.kind !== 'report') expect(order.indexOf(at)).toBeLessThan(order.indexOf(place));
      }
    }
  }));
});

test('reports of one attestation are one call, unless a rare operation of the signer stands between', () => {
  expect(arrangeCalls([report(1, 1), exit(2), report(1, 3), report(2, 1)]).map((call) => (call.kind === 'single' ? 'single' : call.members))).toEqual([[0, 2], 'single', [3]]);
  expect(arrangeCalls([report(1, 1), exit(2), report(1, 2), report(1, 3)]).map((call) => (call.kind === 'single' ? 'single' : call.members))).toEqual([[0], 'single', [2, 3]]);
});

test('what a transaction is: the reports alone, a multicall of the service, or Multicall3', () => {
  const multicall: Hex = address(0x3c);
  const alone = arrangeCalls([report(1, 1), report(1, 2)]);
  expect(wrapCalls(alone, service, { kind: 'native' })).toEqual({ to: service, calldata: alone[0]!.data });
  expect(alone[0]!.data.slice(0, 10)).toBe('0xb50bd0d4');
  const mixed = arrangeCalls([exit(1), report(1, 2)]);
  expect(mixed[0]!.data.slice(0, 10)).toBe('0x7f32e167');
  expect(wrapCalls(mixed, service, { kind: 'native' })).toMatchObject({ to: service, calldata: expect.stringMatching(/^0xac9650d8/) });
  expect(wrapCalls(alone, service, { kind: 'multicall3', address: multicall })).toMatchObject({ to: multicall, calldata: expect.stringMatching(/^0x82ad56cb/) });
});
