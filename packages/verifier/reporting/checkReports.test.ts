import type { Block } from '@vouch/chain/rpc/chainReads';
import type { RpcCall } from '@vouch/chain/rpc/rpcClient';
import { expect, test } from 'vitest';
import type { KeptAttestation, NodeState } from '../state/nodeState.ts';
import { NodeRecord } from '../state/nodeRecord.ts';
import { testFolder } from '../testing/runVerifier.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import { checkReports } from './checkReports.ts';

/** The parts of a node that the check uses. */
const partsOf = (parts: object): NodeParts => parts as NodeParts;
const headAt = (timestamp: number): Block => ({ number: 9, hash: '0x09', parentHash: '0x08', timestamp, baseFee: 1n, gasLimit: 1n, gasUsed: 0n });

test('a report that counts is checked again after a while, also if the clock is set back meanwhile: a reorganization may remove the report', async () => {
  let [nowMs, passedMs, checks] = [7_200_000, 0, 0];
  const parts = partsOf({
    record: { all: () => [reported] },
    rpc: {
      batch: async (calls: readonly RpcCall[]) => {
        checks += 1;
        return calls.map(({ method }) => ({ ok: true, result: method === 'eth_call' ? `0x${'1'.padStart(64, '0')}` : null }));
      },
    },
    system: { clock: { now: () => nowMs }, elapsedMs: () => passedMs },
    configuration: { contract: { service: `0x${'5e'.repeat(20)}` } }, node: `0x${'12'.repeat(20)}`,
  });
  const reported = { attestationId: `0x${'a7'.repeat(32)}`, state: 'reported', deadline: 2_000, chosenIndex: 0 };
  await checkReports(parts, headAt(1_000));
  await checkReports(parts, headAt(1_000));
  expect(checks).toBe(1);
  nowMs -= 3_600_000;
  passedMs += 30_000;
  await checkReports(parts, headAt(1_000));
  expect(checks).toBe(2);
});

const bytes = (byte: string, length = 32): `0x${string}` => `0x${byte.repeat(length)}`;
const sent: KeptAttestation = {
  attestationId: bytes('a7'), requestId: '7', block: 1, transactionHash: bytes('03'), chosenIndex: 0, chosenBlock: 2, chosenAt: 3, deadline: 2_000, halfTime: 1_500, verdict: 0, reason: 'verified',
  sentence: 'Good.', judgedAt: 5, basis: null, state: 'sent', attempts: 1, sentAt: 6, reportedAt: null, sentHash: null, lastError: null,
};
const state: NodeState = {
  version: 1, chainId: 1, chainName: 'test', service: bytes('5e', 20), node: bytes('12', 20), genesis: bytes('01'), checkpoints: [{ block: 1, hash: bytes('02') }],
  startedAt: 1, savedAt: 1, chainSeenAt: null, attestations: [sent], membership: { id: 3, active: true, readAt: 5, activeSince: 4, weight: 1, claimer: bytes('00', 20), commissionRate: 0, missed: 0 },
  day: null, countedDay: null, online: [], lastChosenAt: null, lastReportedAt: null, counts: { announced: 1, chosen: 1, reported: 0, missed: 0, notVoted: 0, daysCredited: 0, daysLost: 0 }, transactions: [], standby: null, alarms: [],
};

/** A node that sent a report. `look` asks the chain at a time, in seconds, half a minute after the look before. */
function nodeThatSent(): { record: NodeRecord; alarms: string[]; look(counts: boolean, timestamp: number): Promise<KeptAttestation> } {
  let passedMs = 0;
  const system = { clock: { now: () => 9_000 }, elapsedMs: () => passedMs };
  const record = new NodeRecord(testFolder(), state, system);
  const alarms: string[] = [];
  return {
    record, alarms,
    async look(counts, timestamp) {
      passedMs += 30_000;
      const shown = { number: '0x9', hash: bytes('09'), parentHash: bytes('08'), timestamp: '0x1', gasLimit: '0x1', gasUsed: '0x1', baseFeePerGas: '0x1' };
      await checkReports(partsOf({
        record, system, configuration: { contract: { service: state.service } }, node: state.node, firstBlock: 0, time: { now: () => timestamp },
        rpc: { batch: async (calls: readonly RpcCall[]) => calls.map(({ method }) => ({ ok: true, result: method === 'eth_call' ? `0x${(counts ? '1' : '0').padStart(64, '0')}` : shown })) },
        log: { info() {}, warn() {} }, alarms: { raise() {}, clear() {}, say: (_code: string, sentence: string) => void alarms.push(sentence) },
      }), headAt(timestamp));
      return record.attestation(sent.attestationId)!;
    },
  };
}

test('a report that an endpoint showed as missed at the deadline counts as reported once the chain has it', async () => {
  const { record, alarms, look } = nodeThatSent();
  expect([(await look(false, 2_001)).state, record.counts, alarms]).toMatchObject(['missed', { reported: 0, missed: 1 }, { length: 1 }]);
  expect([(await look(false, 2_030)).state, alarms]).toMatchObject(['missed', { length: 1 }]);
  expect([(await look(true, 2_060)).state, record.counts]).toMatchObject(['reported', { reported: 1, missed: 0 }]);
});

test('a report that a reorganization removes at the deadline counts as missed, and as reported if the chain has it again; later nothing is asked', async () => {
  const { record, alarms, look } = nodeThatSent();
  expect((await look(true, 1_990)).state).toBe('reported');
  const missed = await look(false, 2_010);
  expect([missed.state, missed.lastError, record.counts, alarms]).toMatchObject(['missed', expect.stringContaining('reorganization'), { reported: 0, missed: 1 }, { length: 1 }]);
  expect([(await look(true, 2_050)).state, record.counts]).toMatchObject(['reported', { reported: 1, missed: 0 }]);
  expect((await look(false, 2_601)).state).toBe('reported');
});
