import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem';
import { expect, it } from 'vitest';
import { attestationIdOf, decodeInfo, maxInfoCharacters } from '../attestation/decodeInfo.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import { eventTopics } from '../config/nodeConfiguration.ts';
import { sharedFolder, writeConfiguration } from '../testing/runVerifier.ts';
import { Alarms } from '../context/alarms.ts';
import { ChainTime } from '../context/chainTime.ts';
import { NodeRecord } from '../state/nodeRecord.ts';
import { applyLogs } from './applyLogs.ts';

const folder = sharedFolder();
const { configuration } = loadConfiguration({ '-conf': writeConfiguration(folder) });
const { service } = configuration.contract;
const word = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`;
let position = 0;

function log(topic: 'topic1' | 'topic2', data: `0x${string}`, block: number) {
  position += 1;
  return { address: service, topics: [eventTopics[topic]], data, blockNumber: block, blockHash: word('1'), transactionHash: word('2'), logIndex: position };
}
const announced = (infos: string[], requestId: bigint, block = 5, ids = infos.map(attestationIdOf)) =>
  log('topic1', encodeAbiParameters(parseAbiParameters('address, bytes32[], string[], uint256'), [service, ids, infos, requestId]), block);
const chosen = (requestId: bigint, nodes: number[], deadline: number, block = 6) =>
  log('topic2', encodeAbiParameters(parseAbiParameters('uint256, uint32[], uint256'), [requestId, nodes, BigInt(deadline)]), block);

async function world() {
  const alarms: string[] = [];
  const silent = createLogger('silent');
  const record = new NodeRecord(folder, {
    version: 1, chainId: 31_337, chainName: 'x', service, node: service, genesis: word('0'), checkpoints: [{ block: 1, hash: word('0') }], startedAt: 0, savedAt: 0, chainSeenAt: null,
    attestations: [], membership: { id: 7, active: true, readAt: 1, activeSince: 1, weight: 1, claimer: service, commissionRate: 0, missed: 0 }, day: null, countedDay: null, online: [], lastChosenAt: null, lastReportedAt: null,
    counts: { announced: 0, chosen: 0, reported: 0, missed: 0, notVoted: 0, daysCredited: 0, daysLost: 0 }, transactions: [], standby: null, alarms: [],
  }, systemInterfaces);
  await record.infos.open();
  const time = new ChainTime(systemInterfaces);
  time.see({ number: 9, hash: word('3'), parentHash: word('3'), timestamp: 1_000, baseFee: null, gasLimit: 0n, gasUsed: 0n });
  const parts = { configuration, node: service, record, time, log: silent, system: systemInterfaces, alarms: new Alarms(silent, systemInterfaces.clock, ({ alarm }) => alarms.push(alarm)) };
  return { record, alarms, apply: (...logs: ReturnType<typeof log>[]) => applyLogs(parts, logs) };
}

it('events come in any order and again, and count once', async () => {
  const { record, apply } = await world();
  const [first, second] = [announced(['a', 'b'], 1n), chosen(1n, [3, 7], 3_000)];
  await apply(second, first);
  await apply(first, second);
  await apply(second);
  expect([...record.all()].map(({ chosenIndex, deadline, halfTime, state }) => [chosenIndex, deadline, halfTime, state])).toEqual([[1, 3_000, 2_000, 'chosen'], [1, 3_000, 2_000, 'chosen']]);
  expect(record.counts).toMatchObject({ announced: 2, chosen: 2 });
});

it('a node that is not chosen has nothing to report; after a reorganization it may be', async () => {
  const { record, apply } = await world();
  await apply(announced(['c'], 2n), chosen(2n, [1, 2], 3_000));
  expect(record.attestation(attestationIdOf('c'))).toMatchObject({ state: 'notChosen', chosenIndex: null });
  await apply(chosen(2n, [7], 3_100, 8));
  expect(record.attestation(attestationIdOf('c'))).toMatchObject({ state: 'chosen', chosenIndex: 0, deadline: 3_100 });
});

it('being chosen for what was never announced is an alarm, unless its time is over', async () => {
  const { alarms, apply } = await world();
  await apply(chosen(3n, [7], 999));
  expect(alarms).toEqual([]);
  await apply(chosen(4n, [7], 3_000), chosen(5n, [8], 3_000));
  await apply(chosen(4n, [7], 3_000));
  expect(alarms).toEqual(['announcement-unknown']);
});

it('a text longer than any quote is judged at once and not kept', async () => {
  const { record, apply } = await world();
  const long = 'x'.repeat(maxInfoCharacters + 1);
  await apply(announced([long], 6n));
  expect(record.attestation(attestationIdOf(long))).toMatchObject({ verdict: 1, reason: 'info-too-large' });
  expect(await record.infos.read(attestationIdOf(long))).toBe(null);
  await apply(announced([long], 7n, 5, [word('9')]));
  expect(record.attestation(word('9'))).toMatchObject({ verdict: null, judgedAt: null });
});

it.each([['no UTF-8', '0xfffe41'], ['a byte order mark', '0xefbbbf41414141']] as const)('a text that is %s is undecodable, not a text of another attestation', async (_what, info) => {
  const { record, apply } = await world();
  const id = keccak256(info);
  await apply(log('topic1', encodeAbiParameters(parseAbiParameters('address, bytes32[], bytes[], uint256'), [service, [id], [info], 9n]), 5));
  const text = await record.infos.read(id);
  expect(text).not.toBe(null);
  expect(decodeInfo(text!)).toMatchObject({ fault: 'info-not-base64' });
});

it('an event that cannot be read is passed over, and those behind it are not', async () => {
  const { record, apply } = await world();
  await apply(log('topic1', '0x1234', 4), log('topic2', word('f'), 4), announced(['d'], 8n));
  expect(record.attestation(attestationIdOf('d'))).toBeDefined();
});
