import { readFileSync } from 'node:fs';
import type { Operation } from '@vouch/chain/messages/operation';
import { describe, expect, it } from 'vitest';
import { explainRefusal } from './explainRefusal.ts';

const exit: Operation = { kind: 'exit', expiredAt: 1_000n };
const report: Operation = { kind: 'report', attestationId: `0x${'ab'.repeat(32)}`, result: 0, index: 0 };
const code = (said: string | null, operation: Operation = exit, time = 900): string => explainRefusal(operation, said, time).code;

/**
 * Revert reasons for callers that send no signed messages: the TEE, the randomness source and callers that repeat a randomness
 * request. The reasons of slashing, rewards and delegation are excluded too.
 */
const toOthers = ['Not tee', 'No attestations', 'Attestation already exist', 'Not randomness source', 'Not waiting vrf', 'Asked recently'];

describe('a refusal of the contract', () => {
  it('has a code for each reason that it gives to a signed message', () => {
    const source = readFileSync(new URL('../../chain/contracts/solidity/service/Reasons.sol', import.meta.url), 'utf8');
    const said = [...source.split('// Slashing')[0]!.matchAll(/"([^"]+)"/g)].map((match) => match[1]!);
    expect(said.length).toBeGreaterThan(20);
    expect(said.filter((reason) => code(reason) === 'contract-refused')).toEqual(toOthers);
  });

  it('tells a message that came too late from one that expires too late', () => {
    expect(explainRefusal(exit, 'Invalid expiredAt', 1_001)).toMatchObject({ state: 'expired', code: 'deadline-passed' });
    expect(explainRefusal(exit, 'Invalid expiredAt', 999)).toMatchObject({ state: 'failed', code: 'expires-too-late' });
    expect(explainRefusal(report, 'Deadline passed', 1)).toMatchObject({ state: 'expired', code: 'report-deadline-passed' });
  });

  it('carries words that nobody knows, also those of an object', () => {
    expect(explainRefusal(exit, 'constructor', 1)).toEqual({ state: 'failed', code: 'contract-refused', reason: 'The contract rejected the message with: constructor.' });
    expect(explainRefusal(exit, null, 1).reason).toContain('without a reason');
  });
});
