import type { Hex } from '@vouch/chain/messages/operation';
import type { Block, Receipt } from '@vouch/chain/rpc/chainReads';
import { describe, expect, test } from 'vitest';
import { decideLane, unexplainedNonces, type Decision, type LaneEvidence } from './decideLane.ts';
import type { NonceUser } from './confirming/findNonceUser.ts';
import { gapNonces, nextNonce } from './chooseNonces.ts';
import type { Attempt, LiveBatch, MinedBatch, WaitingBatch } from './liveBatch.ts';

const gwei = 1_000_000_000n;
const rules = { confirmations: 5 };
const now = 1_000_000;
const hash = (number: number, fork = 0): Hex => `0x${(number * 16 + fork).toString(16).padStart(64, '0')}`;
const block = (number: number): Block => ({ number, hash: hash(number), parentHash: hash(number - 1), timestamp: number, baseFee: gwei, gasLimit: 30_000_000n, gasUsed: 0n });
const view = { head: block(100), blocks: Array.from({ length: 40 }, (_, at) => block(61 + at)) };
const ours: Hex = `0x${'aa'.repeat(32)}`;
const theirs: Hex = `0x${'bb'.repeat(32)}`;

function attempt(more: Partial<Attempt> = {}): Attempt {
  return {
    hash: ours, raw: '0x01', fees: { maxFeeWei: 4n * gwei, priorityFeeWei: gwei }, cancels: false, headNumber: 99, createdMs: now - 1_000,
    broadcastMs: now - 1_000, broadcasts: 1, refusal: null, ...more,
  };
}
const waiting = (more: Partial<WaitingBatch> = {}): WaitingBatch =>
  ({ state: 'sent', batchId: 'b', nonce: 7, gasLimit: 100_000n, ended: false, attempts: [attempt()], ...more });
const mined = (more: Partial<MinedBatch> = {}): MinedBatch =>
  ({ state: 'mined', batchId: 'b', nonce: 7, gasLimit: 100_000n, attempts: [attempt()], block: { number: 90, hash: hash(90) }, ...more });
const receipt = (number: number, fork = 0): Receipt => ({
  transactionHash: ours, blockNumber: number, blockHash: hash(number, fork), from: '0x', to: null, contractAddress: null, succeeded: true,
  gasUsed: 1n, effectiveGasPrice: 1n, logs: [],
});
const settledAt = (nonce: number): LaneEvidence['settled'] => ({ nonce, block: block(90) });
const evidence = (more: Partial<LaneEvidence> = {}): LaneEvidence => ({
  view, nonce: 7, settled: settledAt(7), receipts: new Map(), users: new Map(), oldBlocks: new Map(), setBack: false, vain: new Map(), now,
  market: { baseFeeWei: gwei, suggestedTipWei: gwei, capWei: 100n * gwei }, ...more,
});
function decide(batch: LiveBatch, more: Partial<LaneEvidence> = {}): Decision['do'] {
  const [decision] = decideLane([batch], evidence(more), rules);
  return decision!.do;
}
const receipts = (one: Receipt): Pick<LaneEvidence, 'receipts'> => ({ receipts: new Map([[ours, one]]) });
const users = (user: NonceUser): Pick<LaneEvidence, 'users'> => ({ users: new Map([[7, user]]) });

describe('a batch whose nonce is not used up', () => {
  test('was prepared and never sent: its bytes go out', () => {
    expect(decide(waiting({ state: 'prepared', attempts: [attempt({ broadcastMs: null })] }))).toBe('broadcast');
  });
  test('waits for a block, and its bytes go out again after one and a while', () => {
    expect(decide(waiting({ attempts: [attempt({ headNumber: 100, broadcastMs: now - 60_000 })] }))).toBe('wait');
    expect(decide(waiting({ attempts: [attempt({ broadcastMs: now - 1_999 })] }))).toBe('wait');
    expect(decide(waiting({ attempts: [attempt({ broadcastMs: now - 2_000 })] }))).toBe('broadcast');
    expect(decide(waiting({ attempts: [attempt({ broadcastMs: now + 60_000 })] }))).toBe('broadcast');
  });
  test('offers less than the base fee: it is replaced, unless the cap forbids that', () => {
    const market = { baseFeeWei: 5n * gwei, suggestedTipWei: gwei, capWei: 100n * gwei };
    expect(decide(waiting(), { market })).toBe('replace');
    expect(decide(waiting(), { market: { ...market, capWei: 4n * gwei } })).toBe('wait');
  });
  test('could be next and is not for eight blocks: it offers more; behind another it does not', () => {
    const stuck = [attempt({ headNumber: 92, createdMs: now - 8_000 })];
    expect(decide(waiting({ attempts: stuck }))).toBe('replace');
    // The clock was set back by an hour, or the gateway that created the transaction had a clock ahead.
    expect(decide(waiting({ attempts: [attempt({ headNumber: 92, createdMs: now + 3_600_000 })] }))).toBe('replace');
    expect(decide(waiting({ attempts: [attempt({ headNumber: 93, createdMs: now + 3_600_000 })] }))).not.toBe('replace');
    expect(decide(waiting({ attempts: stuck, nonce: 8 }))).toBe('wait');
  });
  test('all of it has expired, or no node takes its bytes: an empty transaction takes its place, once', () => {
    expect(decideLane([waiting({ ended: true })], evidence(), rules)[0]).toMatchObject({ do: 'replace', cancels: true });
    const refused = attempt({ refusal: 'exceeds block gas limit', broadcasts: 5 });
    expect(decideLane([waiting({ attempts: [refused] })], evidence(), rules)[0]).toMatchObject({ do: 'replace', cancels: true });
    expect(decide(waiting({ ended: true, attempts: [attempt({ cancels: true })] }))).toBe('wait');
  });
});

describe('a batch whose nonce is used up', () => {
  const used = { nonce: 8 };
  test('has a receipt in a followed block: it is mined', () => {
    expect(decide(waiting(), { ...used, ...receipts(receipt(98)) })).toBe('mined');
  });
  test('has a receipt in a block of another fork, or none: a rumour', () => {
    expect(decide(waiting(), { ...used, ...receipts(receipt(98, 1)) })).toBe('wait');
    expect(decide(waiting(), used)).toBe('wait');
  });
  test('was used by one of ours whose receipt has not come: it waits', () => {
    expect(decide(waiting(), { ...used, ...users({ transactionHash: ours, block: { number: 90, hash: hash(90) } }) })).toBe('wait');
  });
  test('was used by another sender: the batch is abandoned once that transaction is final, and not before', () => {
    expect(decide(waiting(), { ...used, ...users({ transactionHash: theirs, block: { number: 96, hash: hash(96) } }) })).toBe('wait');
    expect(decide(waiting(), { ...used, ...users({ transactionHash: theirs, block: { number: 95, hash: hash(95) } }) })).toBe('abandon');
    expect(decide(waiting(), { ...used, ...users({ transactionHash: theirs, block: { number: 95, hash: hash(95, 1) } }) })).toBe('wait');
  });
  test('was used by nobody that can be found again and again: it is given up by the state of a block that stays', () => {
    expect(decide(waiting(), { ...used, settled: settledAt(8), vain: new Map([[7, 20]]) })).toBe('abandon');
    expect(decide(waiting(), { ...used, settled: settledAt(8), vain: new Map([[7, 19]]) })).toBe('wait');
    expect(decide(waiting(), { ...used, settled: settledAt(7), vain: new Map([[7, 20]]) })).toBe('wait');
    expect(decide(waiting(), { ...used, settled: null, vain: new Map([[7, 20]]) })).toBe('wait');
  });
});

describe('a batch that is mined', () => {
  test('is confirmed when the wanted number of blocks follow, and not one before', () => {
    expect(decide(mined({ block: { number: 95, hash: hash(95) } }))).toBe('confirm');
    expect(decide(mined({ block: { number: 96, hash: hash(96) } }))).toBe('wait');
  });
  test('in a block that left the chain: it goes back, or to the block that has it now', () => {
    expect(decide(mined({ block: { number: 90, hash: hash(90, 1) } }))).toBe('return');
    expect(decide(mined({ block: { number: 90, hash: hash(90, 1) } }), receipts(receipt(92)))).toBe('mined');
  });
  test('in a block below or above what is known: by what that block is, else it waits', () => {
    const old = mined({ block: { number: 10, hash: hash(10) } });
    expect(decide(old)).toBe('wait');
    expect(decide(old, { oldBlocks: new Map([[10, hash(10)]]) })).toBe('confirm');
    expect(decide(old, { oldBlocks: new Map([[10, hash(10, 1)]]) })).toBe('return');
    const above = mined({ block: { number: 101, hash: hash(101) } });
    expect(decide(above)).toBe('wait');
    expect(decide(above, { setBack: true })).toBe('return');
  });
});

test('who used a nonce is asked only where no receipt of ours tells', () => {
  const batches = [waiting(), waiting({ nonce: 8, attempts: [attempt({ hash: theirs })] }), waiting({ nonce: 9 }), mined()];
  expect(unexplainedNonces(batches, evidence({ nonce: 9, receipts: new Map([[theirs, receipt(98)]]) }))).toEqual([7]);
  expect(unexplainedNonces(batches, evidence({ nonce: 9, receipts: new Map([[theirs, receipt(98, 1)]]) }))).toEqual([7, 8]);
});

test('nonces come from the chain, around what may land; gaps below that are found, those above it are none', () => {
  expect(nextNonce(7, [waiting({ nonce: 7 }), waiting({ nonce: 8 }), waiting({ nonce: 10 })])).toBe(9);
  expect(nextNonce(7, [])).toBe(7);
  expect(gapNonces(7, [waiting({ nonce: 9 }), waiting({ nonce: 11 })])).toEqual([7, 8, 10]);
  expect(gapNonces(7, [waiting({ nonce: 7 })])).toEqual([]);
  expect(gapNonces(7, [waiting({ nonce: 1_000_000 })])).toHaveLength(16);
  expect(gapNonces(7, [mined({ nonce: 12 })])).toEqual([]);
});
