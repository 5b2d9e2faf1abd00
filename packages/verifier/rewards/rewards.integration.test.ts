import { join } from 'node:path';
import { localRandomnessAbi } from '@vouch/chain/contracts/abi/localRandomness';
import { rewardTokenAbi } from '@vouch/chain/contracts/abi/rewardToken';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { revertingDaysServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingDaysService';
import { delegateLicenses } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { callDataOf, dailyActiveData } from '@vouch/chain/contracts/service/actions';
import { fetchContractDay, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import { fetchView, serviceViews } from '@vouch/chain/contracts/service/views';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { ethCall, getBlock, getNonce } from '@vouch/chain/rpc/chainReads';
import { decodeFunctionResult, encodeFunctionData, formatEther } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { runVerifier, writeConfiguration, type Ended } from '../testing/runVerifier.ts';
import { NodeWorld, reached, until } from '../testing/nodeWorld.ts';
import type { Status } from '../status/status.ts';

let world: NodeWorld;
afterEach(() => world.stopNodes());

const hour = 3_600;

async function today(): Promise<ContractDay> {
  const { rpc, contracts } = world.chain;
  return (await fetchContractDay(rpc, contracts.service, (await getBlock(rpc, 'latest'))!))!;
}

/** Advances to the first seconds of the contract's next day. */
async function nextDay(): Promise<void> {
  const { begin, lengthSeconds } = await today();
  await world.moveOn(begin + lengthSeconds - (await world.now()) + 1);
}

/** Adds the blocks after which a day is counted; a node reads its days once a minute. */
async function settle(): Promise<void> {
  await world.chain.mine(12);
  await world.moveOn(61);
}

function verifier(account: TestAccount, given: readonly string[]): Promise<Ended> {
  const conf = writeConfiguration(world.folder, {
    'chain.rpc_url': JSON.stringify(world.chain.url), 'contract.addr': JSON.stringify(world.chain.contracts.service), 'wallet.mode': '1',
    'wallet.private_key': JSON.stringify(account.privateKey), 'gasless_service.url': JSON.stringify(world.gateway.url), 'node.data_path': JSON.stringify(join(world.folder, 'data')),
    'attestation.collateral_path': JSON.stringify(world.pki.collateralFolder), 'attestation.trust_root': world.pki.trustRoot.fingerprint,
  });
  return runVerifier([...given, '-conf', conf], '', world.system);
}

async function json<Result>(account: TestAccount, command: string): Promise<Result> {
  const { output, errors } = await verifier(account, [command, '-json']);
  expect(errors).toBe('');
  return JSON.parse(output) as Result;
}

async function call({ privateKey }: TestAccount, data: Hex): Promise<void> {
  await sendTransactions(world.chain.rpc, [{ to: world.chain.contracts.service, data, gas: 600_000n }], { key: privateKey });
}

const operate = (account: TestAccount, operation: Operation): Promise<void> => call(account, callDataOf(operation));

/** Returns the codes of the doctor's findings about the node. */
async function findings(account: TestAccount): Promise<string[]> {
  const { findings: all } = await json<{ findings: { check: string; code?: string }[] }>(account, 'doctor');
  return all.flatMap(({ check, code }) => (check === 'node' ? (code ?? []) : []));
}

describe('a contract that ignores reports of a day silently', () => {
  beforeAll(async () => { world = await NodeWorld.open({ operators: 2, serviceBytecode: revertingDaysServiceBytecode }); });
  afterAll(() => world.close());

  exhaustiveTest('status says what the contract says of its own day: not credited before somebody reported, credited after, lost when the day passed', async () => {
    const [account] = world.chain.operators as [TestAccount];
    await nextDay();
    const { index } = await today();
    const running = await world.startActive(account);
    await until(() => running.state()?.day !== null);
    const status = async (): Promise<Status> => {
      // After the clock was advanced, the saved state is outdated until the node saves it again.
      let found: Status;
      do found = await json<Status>(account, 'status');
      while (found.program.saved_at === null || world.system.clock.now() - Date.parse(found.program.saved_at) > 300_000);
      return found;
    };
    expect(await status()).toMatchObject({
      earning: { verdict: 'not yet', because: expect.stringMatching(new RegExp(`needs 5 h \\d+ min more on day ${index}|needs 6 h more`)) as string },
      today: { day: index, needed_seconds: 6 * hour, credited: false, from: 'chain' }, rewards: { expected: { node: '0', delegators: '0' } },
    });
    // Too early: the contract ignores the report.
    await call(account, dailyActiveData(account.address));
    await world.moveOn(6 * hour);
    const reached = await status();
    expect(reached.earning).toEqual({ verdict: 'not yet', because: expect.stringContaining('the contract has not credited the day: the day must be reported before') as string });
    expect(reached.today).toMatchObject({ credited: false, missing_seconds: 0 });
    expect([world.alarms('day-late'), await findings(account)]).toEqual([[], []]);
    await world.moveOn(9 * hour + 60);
    await until(() => world.alarms('day-late').length === 1);
    expect(await findings(account)).toEqual(['day-late']);
    await call(account, dailyActiveData(account.address));
    await world.moveOn(61);
    await until(() => running.state()?.day?.creditedWeight === 1 && running.state()?.alarms.length === 0);
    expect(await status()).toMatchObject({ earning: { verdict: 'yes', because: `The contract has credited day ${index} to the node.` }, today: { credited: true }, days: [{ day: index, credited: true, weight: 1 }] });
    expect(await findings(account)).toEqual([]);
    // A full day that nobody reports.
    await nextDay();
    await until(() => running.state()?.day?.index === index + 1);
    // A reorganization may still remove the report.
    expect(running.state()?.counts).toMatchObject({ daysCredited: 0, daysLost: 0 });
    await settle();
    await until(() => running.state()?.counts.daysCredited === 1);
    await nextDay();
    await settle();
    await until(() => running.state()?.counts.daysLost === 1);
    expect(world.alarms('day-lost').map(({ msg }) => msg)).toEqual([expect.stringContaining(`Day ${index + 1} ended, and the contract did not credit it`)]);
    expect(await findings(account)).toEqual(['day-lost']);
    const after = await status();
    expect([after.earning.because, after.days?.map(({ day, credited, lost }) => [day, credited, lost])]).toEqual([
      expect.stringContaining(`Day ${index + 1} ended without credit`), [[index + 2, false, null], [index + 1, false, true], [index, true, false]],
    ]);
    expect((await verifier(account, ['status'])).output).toMatch(new RegExp(`^Day ${index + 1} +\\S+Z +LOST: not credited$`, 'm'));
    // A restart must not count days a second time.
    await running.stop();
    const again = await world.startActive(account);
    await world.moveOn(61);
    await until(() => (again.state()?.day?.readAt ?? 0) > (running.state()?.day?.readAt ?? 0));
    expect(again.state()?.counts).toMatchObject({ daysCredited: 1, daysLost: 1 });
  });

  exhaustiveTest('a node that pays for itself reports its day once, and only when the contract would credit it, also where the contract ignores reports silently', async () => {
    const [, account] = world.chain.operators as [TestAccount, TestAccount];
    await nextDay();
    const running = await world.startActive(account, { sending: { through: 'itself' } });
    const sent = (): Promise<number> => getNonce(world.chain.rpc, account.address);
    const entered = await sent();
    // The lane reads the days once a minute.
    const minutes = async (): Promise<void> => {
      for (let count = 0; count < 5; count += 1) {
        await world.moveOn(61);
        await world.system.timers.sleep(1_500);
      }
    };
    await minutes();
    expect(await sent()).toBe(entered);
    await world.moveOn(6 * hour);
    await until(async () => (await sent()) > entered);
    await until(() => running.state()?.day?.creditedWeight === 1);
    await minutes();
    expect(await sent()).toBe(entered + 1);
  });
});

describe('the contract', () => {
  beforeAll(async () => { world = await NodeWorld.open({ operators: 4 }); });
  afterAll(() => world.close());

  it('rewards reckons what the chain then pays, to the smallest unit: to the node and to each license', async () => {
    const { rpc, contracts } = world.chain;
    const [node, other, delegator] = world.chain.operators as [TestAccount, TestAccount, TestAccount];
    await nextDay();
    for (const account of [node, other]) await operate(account, { kind: 'enter', replacedNode: zeroAddress, expiredAt: 0n });
    await operate(node, { kind: 'commission', commissionRate: 333, expiredAt: 0n });
    await delegateLicenses(rpc, contracts, [3n], node.address, { key: delegator.privateKey });
    await world.moveOn(6 * hour);
    for (const account of [node, other]) await call(account, dailyActiveData(account.address));
    const expected = await json<{ licenses: number; all_licenses: number; daily_reward: string; a_day: { node: string; per_license: string } }>(node, 'rewards');
    expect(expected).toMatchObject({ licenses: 2, all_licenses: 3, daily_reward: '1000', commission_percent: 3.33 });
    const { rewards, today: day } = await json<Status>(node, 'status');
    // Older Vouch deployments have no view of credited days.
    expect(rewards?.expected?.node ?? expected.a_day.node).toBe(expected.a_day.node);
    expect(day?.credited ?? true).toBe(true);
    await nextDay();
    await call(other, encodeFunctionData({ abi: verifierServiceAbi, functionName: 'confirmNodeRewards', args: [node.address] }));
    expect(formatEther((await fetchView(rpc, serviceViews.node(contracts.service, node.address))).earned)).toBe(expected.a_day.node);
    const balance = async (holder: Hex): Promise<string> => formatEther(decodeFunctionResult({
      abi: rewardTokenAbi, functionName: 'balanceOf',
      data: await ethCall(rpc, { to: contracts.rewardToken, data: encodeFunctionData({ abi: rewardTokenAbi, functionName: 'balanceOf', args: [holder] }) }),
    }));
    await call(delegator, encodeFunctionData({ abi: verifierServiceAbi, functionName: 'claimRewards', args: [3n] }));
    await call(node, encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeClaim', args: [node.address] }));
    expect([await balance(delegator.address), await balance(node.address)]).toEqual([expected.a_day.per_license, expected.a_day.node]);
  });

  exhaustiveTest('an attestation whose random word does not come is named by status and doctor, and asked for again by a node that pays for itself', async () => {
    const [, , , account] = world.chain.operators as [TestAccount, TestAccount, TestAccount, TestAccount];
    const { rpc, contracts: { service, vrf }, deployer } = world.chain;
    const running = await world.startActive(account);
    const report = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'teeReportAttestations', args: [[world.pki.makeInfo('good', Buffer.from('stuck'))]] });
    await sendTransactions(rpc, [{ to: service, data: report }], { key: deployer.privateKey });
    await until(() => running.state()?.attestations.length === 1);
    const id = running.state()!.attestations[0]!.attestationId;
    await world.moveOn(hour);
    await until(() => running.state()?.alarms.some(({ code }) => code === 'randomness-late') === true);
    await until(async () => (await json<Status>(account, 'status')).alarms.some(({ code, sentence }) => code === 'randomness-late' && sentence.includes(id)));
    const doctor = await json<{ findings: { code?: string; detail: string }[] }>(account, 'doctor');
    expect(doctor.findings.find(({ code }) => code === 'randomness-late')?.detail).toContain(id);
    await running.stop();
    // The node may ask as soon as it starts, so the nonce is read before.
    const before = await getNonce(rpc, account.address);
    const paying = await world.startActive(account, { sending: { through: 'itself' } });
    await world.moveOn(61);
    await until(async () => (await getNonce(rpc, account.address)) > before);
    await sendTransactions(rpc, [{ to: vrf, data: encodeFunctionData({ abi: localRandomnessAbi, functionName: 'fulfill', args: [2n] }), gas: 1_000_000n }], { key: deployer.privateKey });
    await reached(paying, id, 'reported');
    await world.moveOn(61);
    await until(() => paying.state()?.alarms.every(({ code }) => code !== 'randomness-late') === true);
  });
});
