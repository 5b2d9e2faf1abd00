import { localRandomnessAbi } from '@vouch/chain/contracts/abi/localRandomness';
import { settingsAbi } from '@vouch/chain/contracts/abi/settings';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { revertingDaysServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingDaysService';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { delegateLicenses } from '@vouch/chain/contracts/devnetActions';
import { defaultRules, defaultVerdictRules } from '@vouch/chain/contracts/rules';
import { fetchView, serviceViews } from '@vouch/chain/contracts/service/views';
import { dailyActiveData } from '@vouch/chain/contracts/service/actions';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { encodeFunctionData, keccak256, toBytes } from 'viem';
import { afterEach, describe, expect, test } from 'vitest';
import { exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';
import { checkActivity } from '../doctor/activityCheck.ts';
import { interceptRpc, refused } from '../testing/testRpc.ts';
import { minOnline, openReporterWorld, type ReporterWorld } from '../testing/reporterTestWorld.ts';
import type { TestGateway } from '../testing/testGateway.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let world: ReporterWorld;
let gateway: TestGateway;
afterEach(() => gateway.close());

const services = [['ours', undefined], ['one that ignores reports silently', revertingDaysServiceBytecode]] as const;

async function open(serviceBytecode: Hex | undefined, operators: number, rules: { maxActiveNodes?: number } = {}): Promise<readonly TestAccount[]> {
  world = await openReporterWorld({ operators, rules, ...(serviceBytecode === undefined ? {} : { serviceBytecode }) });
  gateway = world.gateway;
  return gateway.chain.operators;
}

async function rows(): Promise<Map<string, boolean | null>> {
  const found = await gateway.database.query<{ date: number; node: Buffer; credited: boolean | null }>('select date, node, credited from gateway_activity');
  return new Map(found.rows.map(({ date, node, credited }) => [`${date} 0x${node.toString('hex')}`, credited]));
}

describe.each(sampleOf(services, 1))('at %s', (_name, bytecode) => {
  exhaustiveTest('every active node is credited its day once its hours are reached, also one that never sent anything, and nothing is sent before', async () => {
    const [early, silent, late] = await open(bytecode, 3) as [TestAccount, TestAccount, TestAccount];
    await gateway.enterAll([early, silent]);
    await gateway.database.query('delete from gateway_requests');
    world.start();
    const date = (await world.today()).index;
    // The message is sent within the first minutes of the node's membership.
    await gateway.ended([await gateway.submit(early, { kind: 'claimer', claimer: silent.address, expiredAt: await gateway.expiry() })]);
    await world.looks();
    expect([await world.sent('activity'), await world.credits()]).toEqual([0, []]);
    await gateway.chain.increaseTime(minOnline);
    await world.until(async () => (await world.credits()).length >= 2);
    await gateway.ended([await gateway.submit(late, { kind: 'enter', replacedNode: zeroAddress, expiredAt: await gateway.expiry() })]);
    await gateway.chain.increaseTime(minOnline + 1);
    await world.until(async () => (await world.credits()).length >= 3);
    await world.until(async () => [...(await rows()).values()].filter((credited) => credited === true).length === 3);
    const found = await world.credits();
    expect(found.map(({ node }) => node).toSorted()).toEqual([early, silent, late].map(({ address }) => address).toSorted());
    expect(new Set(found.map((credit) => credit.date))).toEqual(new Set([date]));
    // A second process must find nothing to report.
    const sent = await world.sent('activity');
    world.start();
    await world.looks();
    expect([await world.sent('activity'), (await world.credits()).length]).toEqual([sent, 3]);
  });

  exhaustiveTest('what a node cannot simulate is asked once the hours are reached, and believed by the event', async () => {
    const [node] = await open(bytecode, 1) as [TestAccount];
    await gateway.enterAll([node]);
    world.start({ rpc: interceptRpc(gateway.chain.rpc, (call, pass) => {
      if (call.method === 'eth_simulateV1') throw refused(call.method, 'the method eth_simulateV1 does not exist', -32601);
      return pass();
    }) });
    await world.looks();
    expect(await world.sent('activity')).toBe(0);
    await gateway.chain.increaseTime(minOnline);
    await world.until(async () => (await world.credits()).length === 1);
    await world.until(async () => [...(await rows()).values()].every((credited) => credited === true));
    expect(await world.sent('activity')).toBe(1);
  });

  exhaustiveTest('a report that came too early is sent again in the same day, until the event says that the day is credited', async () => {
    const [node] = await open(bytecode, 1) as [TestAccount];
    await gateway.enterAll([node]);
    await gateway.chain.increaseTime(minOnline);
    const { rpc, contracts: { settings }, deployer } = gateway.chain;
    // The contract requires more hours from the moment the first report is broadcast.
    let changed = false;
    world.start({ rpc: interceptRpc(rpc, async (call, pass) => {
      if (call.method === 'eth_sendRawTransaction' && !changed) {
        changed = true;
        const data = encodeFunctionData({ abi: settingsAbi, functionName: 'setRules', args: [{ ...defaultRules, minOnline: 2 * minOnline }] });
        await sendTransactions(rpc, [{ to: settings, data, gas: 400_000n }], { key: deployer.privateKey });
      }
      return pass();
    }) });
    await world.until(async () => [...(await rows()).values()].includes(false));
    expect(await world.credits()).toEqual([]);
    await gateway.chain.increaseTime(minOnline);
    await world.until(async () => [...(await rows()).values()].every((credited) => credited === true));
    await world.looks();
    expect([(await world.credits()).length, await world.sent('activity')]).toEqual([1, 2]);
  });
});

exhaustiveTest('a report whose receipt an endpoint does not have yet is not taken for one that credited nothing', async () => {
  const [node] = await open(undefined, 1) as [TestAccount];
  await gateway.enterAll([node]);
  await gateway.chain.increaseTime(minOnline);
  let hidden = 0;
  world.start({ rpc: interceptRpc(gateway.chain.rpc, async ({ method }, pass) => {
    // The pipeline reads the receipt before the confirmation, so receipts are hidden only afterwards.
    if (method !== 'eth_getTransactionReceipt' || hidden === 3 || await world.sent('activity', 'confirmed') === 0) return pass();
    hidden += 1;
    return null;
  }) });
  const found: (boolean | null)[] = [];
  await world.until(async () => {
    found.push(...(await rows()).values());
    return found.includes(true);
  });
  expect([hidden, found.includes(false), await world.sent('activity')]).toEqual([3, false, 1]);
});

exhaustiveTest('a node that leaves or is replaced after its hours is credited by leaving, without a report of anybody', async () => {
  const [leaving, replaced, heavier, giver] = await open(undefined, 4, { maxActiveNodes: 2 }) as [TestAccount, TestAccount, TestAccount, TestAccount];
  await gateway.enterAll([leaving, replaced]);
  await gateway.chain.increaseTime(minOnline);
  const { rpc, contracts } = gateway.chain;
  await delegateLicenses(rpc, contracts, [4n], heavier.address, { key: giver.privateKey });
  const expiredAt = await gateway.expiry();
  gateway.start();
  const date = (await world.today()).index;
  await gateway.ended([await gateway.submit(heavier, { kind: 'enter', replacedNode: replaced.address, expiredAt })]);
  await gateway.ended([await gateway.submit(leaving, { kind: 'exit', expiredAt })]);
  expect(await world.credits()).toEqual([{ node: replaced.address, date }, { node: leaving.address, date }]);
});

exhaustiveTest('a day that passes although a node was active in it is written down as not credited', async () => {
  const [node, other] = await open(revertingDaysServiceBytecode, 2) as [TestAccount, TestAccount];
  await gateway.enterAll([node, other]);
  const { index, lengthSeconds } = await world.today();
  await gateway.chain.increaseTime(minOnline);
  const off = world.start();
  await world.until(async () => (await world.credits()).length === 2);
  await world.until(async () => [...(await rows()).values()].every((credited) => credited === true));
  await off.close();
  // A whole day passes without an activity reporter.
  await gateway.chain.increaseTime(2 * lengthSeconds);
  world.start();
  await world.until(async () => (await world.credits()).length === 4);
  // The day is compared once a block of the next one is final.
  await world.until(async () => {
    const known = await rows();
    return [node, other].every(({ address }) => known.has(`${index + 1} ${address}`));
  });
  const found = await rows();
  expect([index, index + 1].map((date) => found.get(`${date} ${node.address}`))).toEqual([true, false]);
  expect(await checkActivity(gateway.database, gateway.deployment, true)).toMatchObject({ status: 'warning', detail: expect.stringMatching(new RegExp(`^day ${index + 1} ended without credit although 0x\\w+, 0x\\w+ were active`)) as string });
});

exhaustiveTest('a day is compared with the contract only when a block after the day is final, because a reorganization can remove the report', async () => {
  // Blocks come only with transactions, and when the test asks for them.
  world = await openReporterWorld({ operators: 1, automine: true });
  gateway = world.gateway;
  const { chain } = gateway;
  const [node] = chain.operators as [TestAccount];
  await gateway.enterAll([node]);
  const { index, begin, lengthSeconds } = await world.today();
  await chain.increaseTime(begin + lengthSeconds - 30 - (await getBlock(chain.rpc, 'latest'))!.timestamp);
  const before = await chain.rpc.request('evm_snapshot', []);
  await sendTransactions(chain.rpc, [{ to: chain.contracts.service, data: dailyActiveData(node.address), gas: 600_000n }], { key: chain.deployer.privateKey });
  await chain.increaseTime(60);
  const off = world.start({ settings: { confirmations: 4 } });
  await world.looks();
  await off.close();
  expect([(await world.credits()).length, await rows()]).toEqual([1, new Map()]);
  await chain.rpc.request('evm_revert', [before]);
  await chain.increaseTime(120);
  await chain.mine(5);
  expect(await world.credits()).toEqual([]);
  world.start({ settings: { confirmations: 4 } });
  await world.until(async () => (await rows()).size === 1);
  expect([await world.credits(), await rows()]).toEqual([[], new Map([[`${index} ${node.address}`, false]])]);
});

exhaustiveTest('all days that passed while no gateway ran are written down, not only the last one', async () => {
  const [node] = await open(undefined, 1) as [TestAccount];
  await gateway.enterAll([node]);
  const { index, lengthSeconds } = await world.today();
  await gateway.chain.increaseTime(minOnline);
  const off = world.start();
  await world.until(async () => (await rows()).get(`${index} ${node.address}`) === true);
  await off.close();
  await gateway.chain.increaseTime(4 * lengthSeconds);
  world.start();
  await world.until(async () => (await rows()).get(`${index + 4} ${node.address}`) === true);
  const found = await rows();
  expect([0, 1, 2, 3, 4].map((later) => found.get(`${index + later} ${node.address}`))).toEqual([true, false, false, false, true]);
});

exhaustiveTest('an attestation whose random word does not come is asked for again, and its nodes are chosen by the new word', async () => {
  const [node] = await open(undefined, 1) as [TestAccount];
  await gateway.enterAll([node]);
  const { rpc, contracts: { service, vrf }, deployer } = gateway.chain;
  const report = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'teeReportAttestations', args: [['one', 'two']] });
  await sendTransactions(rpc, [{ to: service, data: report }], { key: deployer.privateKey });
  world.start();
  await world.looks();
  // The contract accepts a repeated request only after `randomnessRetry`.
  expect(await world.sent('randomness')).toBe(0);
  await gateway.chain.increaseTime(defaultVerdictRules.randomnessRetry);
  await world.until(async () => (await gateway.database.query(`select 1 from gateway_batches where purpose = 'randomness' and state = 'confirmed' and succeeded`)).rowCount === 1);
  await world.looks();
  expect(await world.sent('randomness')).toBe(1);
  await sendTransactions(rpc, [{ to: vrf, data: encodeFunctionData({ abi: localRandomnessAbi, functionName: 'fulfill', args: [2n] }), gas: 1_000_000n }], { key: deployer.privateKey });
  expect((await fetchView(rpc, serviceViews.attestation(service, keccak256(toBytes('one'))))).deadline).toBeGreaterThan(0);
});

test('with the keeper off nothing of it is sent', async () => {
  const [node] = await open(undefined, 1) as [TestAccount];
  await gateway.enterAll([node]);
  await gateway.chain.increaseTime(minOnline);
  world.start({ settings: { keeper: false } });
  await gateway.ended([await gateway.submit(node, { kind: 'claimer', claimer: gateway.chain.deployer.address, expiredAt: await gateway.expiry() })]);
  await world.looks();
  expect([await world.sent('activity'), await world.credits()]).toEqual([0, []]);
});
