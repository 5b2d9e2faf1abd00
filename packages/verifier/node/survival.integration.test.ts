import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reportAttestations } from '@vouch/chain/contracts/devnetActions';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock, getNonce } from '@vouch/chain/rpc/chainReads';
import { keccak256, toBytes } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleOf } from '@vouch/platform/testing/exhaustive';
import { InfoFiles } from '../state/infoFiles.ts';
import { stateFile } from '../state/nodeState.ts';
import { kept, NodeWorld, reached, until } from '../testing/nodeWorld.ts';
import { RpcGate } from '../testing/rpcGate.ts';
import type { RunningNode } from './startNode.ts';

// All tests share one world. The tests in gas mode come first: they count transactions, and later days would add reports.
let world: NodeWorld;
beforeAll(async () => { world = await NodeWorld.open(); });
afterAll(() => world.close());

/** Base fees in wei. A transaction offers twice the first one plus a tip of 1 gwei, far below the second one. */
const [lowFee, highFee] = [10n ** 6n, 10n ** 11n];
const inGasMode = { sending: { through: 'itself' } } as const;
const reported = keccak256(toBytes('NodeReportVerification(address,bytes32,uint8)'));

/** Mines a block with this base fee. */
async function mineAt(wei: bigint): Promise<void> {
  await world.chain.rpc.request('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);
  await world.chain.mine();
}

const waiting = async ({ address }: TestAccount): Promise<number> => (await getNonce(world.chain.rpc, address, 'pending')) - (await getNonce(world.chain.rpc, address));

/** Has the node chosen for an attestation and kills it while its report is pending. @returns the attestation's id */
async function killWhileReporting(running: RunningNode, account: TestAccount): Promise<Hex> {
  const { rpc, contracts, deployer } = world.chain;
  await rpc.request('evm_setAutomine', [false]);
  const info = world.pki.makeInfo('good', Buffer.from(account.address));
  const { attestationIds: [id] } = await reportAttestations(rpc, contracts, [info], { key: deployer.privateKey, mine: () => world.chain.mine() });
  await until(async () => (await waiting(account)) === 1);
  // Simulates kill -9: restores the state of this moment, without the changes that a clean stop saves.
  const [kept, aside] = [join(running.folder, stateFile), join(running.folder, 'killed')];
  await copyFile(kept, aside);
  await running.stop();
  await copyFile(aside, kept);
  return id!;
}

async function votesOf(id: Hex, { address }: TestAccount): Promise<number> {
  const logs = await world.chain.rpc.request<{ data: string }[]>('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', address: world.chain.contracts.service, topics: [reported] }]);
  return logs.filter(({ data }) => data.includes(id.slice(2)) && data.includes(address.slice(2))).length;
}

const handedOver = (): number => world.lines.filter(({ msg }) => msg === 'The report was submitted.').length;

const deaths: [how: string, operator: number, happens: (running: RunningNode) => Promise<unknown>][] = [
  ['its fees become too low', 0, async () => {}],
  ['its fees are too low and no pool has it any more', 1, () => mineAt(highFee)],
  ['its fees become too low and the state is lost', 2, ({ folder }) => rm(join(folder, stateFile))],
];

it.each(sampleOf(deaths, 1))('a node in gas mode that was killed with a report on its way gets it and the next one onto the chain, once each, where %s', async (_how, operator, happens) => {
  const account = world.chain.operators[operator]!;
  const first = await world.startActive(account, inGasMode);
  await mineAt(lowFee);
  const before = await getNonce(world.chain.rpc, account.address);
  const id = await killWhileReporting(first, account);
  await happens(first);
  const handed = handedOver();
  const second = await world.start(account, inGasMode);
  await until(() => second.state()?.attestations.some(({ attestationId, state }) => attestationId === id && state === 'sent') === true);
  // After a restart, a report sent earlier is reconsidered after one minute.
  world.skew(61);
  await until(() => handedOver() > handed);
  // anvil's transaction pool drops transactions that cannot pay the base fee; other pools keep them.
  await mineAt(highFee);
  // After 45 s without a receipt, the node raises the fees.
  world.skew(46);
  await until(async () => {
    await mineAt(highFee);
    return (await votesOf(id, account)) > 0;
  });
  await world.chain.rpc.request('evm_setAutomine', [true]);
  const { attestationIds: [next] } = await world.attest('good');
  await until(async () => (await votesOf(next!, account)) > 0);
  expect([await votesOf(id, account), await votesOf(next!, account), await getNonce(world.chain.rpc, account.address)]).toEqual([1, 1, before + 2]);
  await mineAt(lowFee);
  await second.stop();
});

describe('a node survives', () => {
  const reportsOn = (id: string): number => world.gateway.reports().filter(({ body }) => body['attestation_id'] === id).length;
  const through = (gate: RpcGate) => ({ chain: { ...world.configuration().chain, rpcUrls: [gate.url] } });

  it('an endpoint that is gone, with an alarm after two minutes, and reports what happened meanwhile', async () => {
    const gate = await RpcGate.start(world.chain.url);
    const running = await world.startActive(world.chain.operators[0]!, through(gate));
    gate.deaf = true;
    const { attestationIds } = await world.attest('good');
    await until(() => world.lines.some(({ msg }) => msg.startsWith('The chain cannot be read: ')));
    world.skew(130);
    await until(() => world.alarms('rpc-unavailable').length === 1);
    gate.deaf = false;
    await reached(running, attestationIds[0]!, 'reported');
    await until(() => running.state()!.alarms.length === 0);
    await running.stop();
    await gate.stop();
  });

  it.each(sampleOf([
    ['HTML', '<html>busy</html>'], ['an empty list', '[]'], ['null', 'null'], ['numbers beyond all', `[${Array.from({ length: 5 }, (_, at) => `{"jsonrpc":"2.0","id":${at + 1},"result":"0x${'f'.repeat(4_000)}"}`).join(',')}]`],
    ['an error without words', '{"jsonrpc":"2.0","id":null,"error":{}}'],
  ], 1))('an endpoint that answers %s', async (_what, text) => {
    const gate = await RpcGate.start(world.chain.url);
    const running = await world.startActive(world.chain.operators[0]!, through(gate));
    gate.says = text;
    const asked = gate.asked;
    const { attestationIds } = await world.attest('good');
    await until(() => gate.asked >= asked + 3);
    gate.says = null;
    await reached(running, attestationIds[0]!, 'reported');
    expect(world.lines.filter((line) => JSON.stringify(line).includes('    at '))).toEqual([]);
    await running.stop();
    await gate.stop();
  });

  it('its own absence: what was announced meanwhile is reported, once', async () => {
    const account = world.chain.operators[0]!;
    const before = await world.startActive(account);
    await before.stop();
    const { attestationIds } = await world.attest('good', 'forged');
    const running = await world.start(account);
    for (const id of attestationIds) {
      await reached(running, id, 'reported');
      expect(reportsOn(id)).toBe(1);
    }
    await running.stop();
  });

  it('a stop while a report is on its way: it is sent again after the start, and counts once', async () => {
    const account = world.chain.operators[0]!;
    const first = await world.startActive(account);
    world.gateway.intervene = ({ path }) => path.endsWith('report_verification');
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => reportsOn(id!) === 1);
    world.gateway.intervene = null;
    await first.stop();
    expect(kept(first, id!)).toMatchObject({ state: 'sent', attempts: 1 });
    const second = await world.start(account);
    await reached(second, id!, 'reported');
    expect([reportsOn(id!), second.state()!.standby]).toEqual([2, null]);
    const bodies = world.gateway.reports().filter(({ body }) => body['attestation_id'] === id).map(({ body }) => JSON.stringify(body));
    expect(bodies[1]).toBe(bodies[0]);
    await second.stop();
  });

  it('a reorganization that takes announcement, choice and report back', async () => {
    const running = await world.startActive(world.chain.operators[0]!);
    const { rpc, contracts, deployer } = world.chain;
    const snapshot = await rpc.request('evm_snapshot');
    const info = world.pki.makeInfo('good', Buffer.from('twice'));
    const first = await reportAttestations(rpc, contracts, [info], { key: deployer.privateKey });
    await reached(running, first.attestationIds[0]!, 'reported');
    const { block } = running.state()!.checkpoints.at(-1)!;
    await rpc.request('evm_revert', [snapshot]);
    // The other branch is longer and contains the same attestation in a later block.
    await world.chain.mine(block);
    await until(() => running.state()!.checkpoints.at(-1)!.block > block);
    const second = await reportAttestations(rpc, contracts, [info], { key: deployer.privateKey });
    expect(second.attestationIds).toEqual(first.attestationIds);
    await until(() => world.voteOf(first.attestationIds[0]!, world.chain.operators[0]!));
    await until(() => kept(running, first.attestationIds[0]!)?.state === 'reported' && kept(running, first.attestationIds[0]!)!.block > block);
    expect(running.state()!.standby).toBe(null);
    await running.stop();
  });

  it('a laptop that slept for eight hours, which do not count as online', async () => {
    const running = await world.startActive(world.chain.operators[0]!);
    await world.moveOn(8 * 3_600);
    await world.pki.renewCollateral(new Date(world.system.clock.now()));
    const { attestationIds } = await world.attest('good');
    await reached(running, attestationIds[0]!, 'reported');
    const online = running.state()!.online.reduce((sum, { seconds }) => sum + seconds, 0);
    expect(online).toBeLessThan(4 * 3_600);
    // If these eight hours reach the end of the contract's day, the day alarm is raised too.
    await until(() => running.state()!.alarms.every(({ code }) => code.startsWith('day-')));
    await running.stop();
  });

  it('a folder that cannot be written: it says so, and reports all the same', async () => {
    const running = await world.startActive(world.chain.operators[0]!);
    // A folder with the name of the file that every save writes first. mkdir is retried, because a save may be in progress.
    const inTheWay = join(running.folder, 'state.json.unfinished');
    await until(() => mkdir(inTheWay).then(() => true, (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    }));
    const { attestationIds } = await world.attest('good');
    await until(() => world.alarms('state-unwritable').length === 1);
    await reached(running, attestationIds[0]!, 'reported');
    await rm(inTheWay, { recursive: true });
    await until(() => running.state()!.alarms.every(({ code }) => code !== 'state-unwritable'));
    await running.stop();
  });

  it('a folder in which texts of attestations cannot be written: it says so, reports all the same, and writes them later', async () => {
    const from = world.lines.length;
    const running = await world.startActive(world.chain.operators[0]!);
    const infos = join(running.folder, 'infos');
    await rename(infos, `${infos}.aside`);
    await writeFile(infos, '');
    const before = world.alarms('state-unwritable').length;
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => world.alarms('state-unwritable').length === before + 1);
    await reached(running, id!, 'reported');
    expect(world.lines.slice(from).filter(({ msg }) => msg.includes('cannot be read'))).toEqual([]);
    await rm(infos);
    await rename(`${infos}.aside`, infos);
    await until(() => running.state()!.alarms.every(({ code }) => code !== 'state-unwritable'));
    await running.stop();
    expect(await new InfoFiles(running.folder).read(id!)).not.toBe(null);
  });

  it('a stop while an endpoint returns blocks without their events, which follow later', async () => {
    const gate = await RpcGate.start(world.chain.url);
    const first = await world.startActive(world.chain.operators[0]!, through(gate));
    gate.rewrite = withoutLogs;
    const { attestationIds: [id] } = await world.attest('good');
    await scanned(first);
    await first.stop();
    const second = await world.startActive(world.chain.operators[0]!, through(gate));
    await scanned(second);
    await scanned(second);
    expect(kept(second, id!)).toBeUndefined();
    gate.rewrite = null;
    await scanned(second);
    await scanned(second);
    expect(kept(second, id!)).toBeDefined();
    expect(await reached(second, id!, 'reported')).toMatchObject({ verdict: 0, reason: 'verified' });
    await second.stop();
    await gate.stop();
  });

  it('a reorganization after which an endpoint returns the new blocks without their events, which follow later', async () => {
    const gate = await RpcGate.start(world.chain.url);
    const running = await world.startActive(world.chain.operators[0]!, through(gate));
    const snapshot = await world.chain.rpc.request('evm_snapshot');
    for (let block = 0; block < 8; block += 1) await scanned(running);
    const { block } = running.state()!.checkpoints.at(-1)!;
    await world.chain.rpc.request('evm_revert', [snapshot]);
    gate.rewrite = withoutLogs;
    const { attestationIds: [id] } = await world.attest('good');
    await world.chain.mine(10);
    await until(() => running.state()!.checkpoints.at(-1)!.block > block);
    for (let scans = 0; scans < 6; scans += 1) await scanned(running);
    gate.rewrite = null;
    await scanned(running);
    await scanned(running);
    expect(kept(running, id!)).toBeDefined();
    await reached(running, id!, 'reported');
    await running.stop();
    await gate.stop();
  });

  it('an endpoint that gives the wrong text for an attestation at first, and a text that was lost', async () => {
    const gate = await RpcGate.start(world.chain.url);
    const running = await world.startActive(world.chain.operators[0]!, through(gate));
    const info = world.pki.makeInfo('good', Buffer.from('told wrongly'));
    const hex = Buffer.from(info).toString('hex');
    gate.says = null;
    gate.rewrite = (text) => text.replaceAll(hex, hex.replace(/^../, '00'));
    const { rpc, contracts, deployer } = world.chain;
    const { attestationIds: [id] } = await reportAttestations(rpc, contracts, [info], { key: deployer.privateKey });
    await until(() => kept(running, id!)?.reason === 'info-unknown');
    gate.rewrite = null;
    await world.chain.mine();
    expect(await reached(running, id!, 'reported')).toMatchObject({ verdict: 0, reason: 'verified' });
    await running.stop();
    await gate.stop();
  });
});

/** Mines a block, and waits until the node has scanned it. */
async function scanned(running: RunningNode): Promise<void> {
  await world.chain.mine();
  const { number } = (await getBlock(world.chain.rpc, 'latest'))!;
  await until(() => (running.state()?.checkpoints.at(-1)?.block ?? 0) >= number);
}

/** Removes all events from the answer of an endpoint. */
function withoutLogs(text: string): string {
  const answer = JSON.parse(text) as { result?: unknown } | { result?: unknown }[];
  for (const each of [answer].flat()) if (Array.isArray(each.result)) each.result = [];
  return JSON.stringify(answer);
}
