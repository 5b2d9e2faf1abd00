import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { encodeAbiParameters, encodeErrorResult, encodeEventTopics, parseAbi, parseAbiParameters } from 'viem';
import { expect, test } from 'vitest';
import { arrangeCalls, type SignedOperation } from './arrangeCalls.ts';
import { explainRevert } from './explainRevert.ts';
import { decodeOutcomes, type Event } from './decodeOutcomes.ts';

const service: Hex = `0x${'5e'.repeat(20)}`;
const stranger: Hex = `0x${'ee'.repeat(20)}`;
const attestationId: Hex = `0x${'a7'.repeat(32)}`;
const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
const signer = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;

function signed(operation: Operation, from: number): SignedOperation {
  return { requestId: '', operation, digest: word(from), signer: signer(from), signature: { v: 27, r: word(2), s: word(3) } };
}
const report = (from: number, result = 0): SignedOperation => signed({ kind: 'report', attestationId, result, index: from }, from);
const exit = (from: number): SignedOperation => signed({ kind: 'exit', expiredAt: 9n }, from);
const claimer = (from: number, to: number): SignedOperation => signed({ kind: 'claimer', claimer: signer(to), expiredAt: 9n }, from);

function topicOf(eventName: 'OperationApplied' | 'CallFailed' | 'ReportSkipped' | 'NodeActivate' | 'NodeClear' | 'NodeSetClaimer' | 'NodeReportVerificationBatch'): Hex {
  const [topic] = encodeEventTopics({ abi: verifierServiceAbi, eventName });
  return topic as Hex;
}
const event = (topics: Hex[], data: Hex = '0x', address = service): Event => ({ address, topics, data });
const applied = (from: number, address = service): Event => event([topicOf('OperationApplied'), word(from), `0x${signer(from).slice(2).padStart(64, '0')}`], '0x', address);
const callFailed = (index: number, reason: Hex): Event => event([topicOf('CallFailed')], encodeAbiParameters(parseAbiParameters('uint256, bytes'), [BigInt(index), reason]));
const counted = (...reports: [from: number, result: number][]): Event => event([topicOf('NodeReportVerificationBatch')], encodeAbiParameters(
  parseAbiParameters('bytes32, (uint8 result, uint32 index, address signer, uint8 v, bytes32 r, bytes32 s)[]'),
  [attestationId, reports.map(([from, result]) => ({ result, index: from, signer: signer(from), v: 27, r: word(2), s: word(3) }))]));
const skipped = (from: number, reason: string): Event => event(
  [topicOf('ReportSkipped'), attestationId, `0x${signer(from).slice(2).padStart(64, '0')}`], encodeAbiParameters(parseAbiParameters('uint32, uint256, string'), [from, 0n, reason]));
const revert = (text: string): Hex => encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: [text] });

function outcomes(operations: SignedOperation[], logs: Event[], isolates = true, time: number | null = null) {
  return decodeOutcomes(operations, arrangeCalls(operations), logs, { service, isolates, time });
}
const took = { applied: true };
const refused = (said: string | null) => ({ applied: false, said });

test('a service that isolates names each message by its digest, each report as an element of its batch, and each refusal with its words', () => {
  const operations = [exit(1), exit(2), report(3), report(4), exit(5), report(6, 1)];
  const logs = [
    applied(1), callFailed(1, revert('Already exit')), skipped(4, 'Not chosen'), counted([3, 0], [6, 1]), callFailed(3, '0x'),
  ];
  expect(outcomes(operations, logs)).toEqual([took, refused('Already exit'), took, refused('Not chosen'), refused(null), took]);
});

test('nothing took effect of which no event of the service itself speaks', () => {
  expect(outcomes([exit(1)], [applied(1, stranger)])).toEqual([refused(null)]);
  expect(outcomes([exit(1)], [applied(2)])).toEqual([refused(null)]);
  // A report of the same node with another result is a different message.
  expect(outcomes([report(3, 2)], [counted([3, 0])])).toEqual([refused(null)]);
  expect(outcomes([exit(1)], [event([topicOf('OperationApplied')]), event([])])).toEqual([refused(null)]);
});

test('one saying is used up by one operation', () => {
  expect(outcomes([report(3), report(3)], [counted([3, 0])])).toEqual([took, refused(null)]);
});

test('a service that does not isolate is read by the events of the single changes', () => {
  const cleared = event([topicOf('NodeClear')], encodeAbiParameters(parseAbiParameters('address'), [signer(1)]));
  const set = event([topicOf('NodeSetClaimer')], encodeAbiParameters(parseAbiParameters('address, address'), [signer(2), signer(9)]));
  expect(outcomes([exit(1), claimer(2, 9), claimer(2, 8), report(3)], [cleared, set, counted([3, 0])], false)).toEqual([took, took, refused(null), took]);
});

test('events of a service that does not isolate belong to changes in the order of the calls', () => {
  const enter = (from: number): SignedOperation => signed({ kind: 'enter', replacedNode: signer(0), expiredAt: 9n }, from);
  const activated = (from: number): Event => event([topicOf('NodeActivate')], encodeAbiParameters(parseAbiParameters('address, uint32'), [signer(from), 0]));
  const cleared = (from: number): Event => event([topicOf('NodeClear')], encodeAbiParameters(parseAbiParameters('address'), [signer(from)]));
  const set = event([topicOf('NodeSetClaimer')], encodeAbiParameters(parseAbiParameters('address, address'), [signer(1), signer(9)]));
  // Another sender made the first change before.
  expect(outcomes([enter(1), exit(1), enter(1)], [cleared(1), activated(1)], false)).toEqual([refused(null), took, took]);
  // The node was replaced by an entering node.
  expect(outcomes([enter(2), claimer(1, 9)], [cleared(1), activated(2), set], false)).toEqual([took, took]);
});

test('the event of a replaced node belongs to no message, before or after the event of the entry', () => {
  const enter = signed({ kind: 'enter', replacedNode: signer(1), expiredAt: 9n }, 2);
  const activated = event([topicOf('NodeActivate')], encodeAbiParameters(parseAbiParameters('address, uint32'), [signer(2), 0]));
  const cleared = event([topicOf('NodeClear')], encodeAbiParameters(parseAbiParameters('address'), [signer(1)]));
  const set = event([topicOf('NodeSetClaimer')], encodeAbiParameters(parseAbiParameters('address, address'), [signer(1), signer(9)]));
  for (const logs of [[activated, cleared, set], [cleared, activated, set]]) expect(outcomes([enter, claimer(1, 9)], logs, false)).toEqual([took, took]);
});

test('a message that had expired in the block did not take effect', () => {
  const activated = event([topicOf('NodeActivate')], encodeAbiParameters(parseAbiParameters('address, uint32'), [signer(1), 0]));
  const enters = [9n, 99n].map((expiredAt) => signed({ kind: 'enter', replacedNode: signer(0), expiredAt }, 1));
  expect(outcomes(enters, [activated], false, 9)).toEqual([took, refused(null)]);
  expect(outcomes(enters, [activated], false, 10)).toEqual([refused(null), took]);
});

test('the topics are those that every reader of the service knows', () => {
  expect(topicOf('NodeClear')).toBe('0x8a0859fa4a2e331800d512db6925d210facda82733207cb9fe49e7da954fc4aa');
});

test('a revert is explained in its own words, short and on one line', () => {
  expect(explainRevert(revert('Less weights'))).toBe('Less weights');
  expect(explainRevert('0x')).toBeNull();
  expect(explainRevert('0x12345678')).toBe('unknown error 0x12345678');
  expect(explainRevert(revert(`a\n\u0000b ${'x'.repeat(500)}`))).toMatch(/^a b x{196}$/);
});
