import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { defaultRules, defaultVerdictRules } from '@vouch/chain/contracts/rules';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { callDataOf, concludeData } from '@vouch/chain/contracts/service/actions';
import { decodeConcluded } from '@vouch/chain/contracts/service/events';
import { attestationStates } from '@vouch/chain/contracts/service/views';
import { testAccount, type TestAccount } from '@vouch/chain/testing/testChain';
import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import { BlockRange } from '@vouch/chain/rpc/blockRange';
import { scanLogs } from '@vouch/chain/rpc/scanLogs';
import { encodeFunctionData } from 'viem';
import { afterEach, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { changeReporterBudgets, reportReporterBudgets, type ReportQuestion } from '../budgets/budgetReport.ts';
import type { Pipeline } from '../sending/startPipeline.ts';
import { minOnline, openReporterWorld, type ReporterWorld } from '../testing/reporterTestWorld.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let world: ReporterWorld;
afterEach(() => world.gateway.close());

exhaustiveTest('a queue that is never empty does not keep the keeper from the day of a node', async () => {
  world = await openReporterWorld({ operators: 3 });
  const { gateway } = world;
  const operators = gateway.chain.operators;
  await gateway.enterAll(operators);
  await gateway.chain.increaseTime(minOnline);
  // At one message per transaction and eight transactions per second, the submitted messages last for a minute.
  const { attestationIds, chosen } = await gateway.attest(Array.from({ length: 160 }, (_, place) => `attestation ${place}`));
  await gateway.submitMany(attestationIds.flatMap((attestationId) => operators.map((account: TestAccount) => (
    { account, operation: { kind: 'report', attestationId, result: 0, index: chosen.indexOf(account.address) } }))));
  // The chain's time can be a day ahead of the machine's clock.
  await gateway.database.query(`update gateway_requests set deadline = deadline + interval '2 days' where state = 'verified'`);
  const waiting = async (): Promise<number> => (await gateway.database.query(`select 1 from gateway_requests where state = 'verified' and kind = 'report'`)).rowCount ?? 0;
  world.start({ settings: { batch_window_ms: 0, batch_max_operations: 1 } });
  await world.until(async () => (await world.credits()).length === operators.length || (await waiting()) === 0);
  expect((await world.credits()).length).toBe(operators.length);
  expect(await waiting()).toBeGreaterThan(0);
});

test('two keys of two gateways ask once for the random word that an attestation waits for', async () => {
  world = await openReporterWorld({ operators: 1, automine: false });
  const { gateway } = world;
  const { rpc, contracts: { service }, deployer, relayer } = gateway.chain;
  const report = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'teeReportAttestations', args: [['one', 'two']] });
  let isReported = false;
  const reported = sendTransactions(rpc, [{ to: service, data: report, gas: 1_000_000n }], { key: deployer.privateKey }).finally(() => { isReported = true; });
  await world.until(async () => {
    await gateway.mine();
    return isReported;
  });
  await reported;
  await gateway.chain.increaseTime(defaultVerdictRules.randomnessRetry);
  const second = testAccount(77);
  await rpc.request('anvil_setBalance', [second.address, '0x8ac7230489e80000']);
  // No block is mined meanwhile, so neither key can learn the other's request from the chain.
  for (const { privateKey } of [relayer, second]) world.start({ keys: [privateKey] });
  await world.until(async () => (await world.sent('randomness', 'sent')) >= 1);
  await world.looks();
  expect(await world.sent('randomness')).toBe(1);
  await world.until(async () => {
    await gateway.mine();
    return (await world.sent('randomness', 'confirmed')) === 1;
  });
  await world.looks();
  expect(await world.sent('randomness')).toBe(1);
});

/** Id and state of each `AttestationConcluded` event. */
async function concluded(): Promise<[id: string, state: number][]> {
  const { rpc, contracts: { service } } = world.gateway.chain;
  const { number } = (await getBlock(rpc, 'latest'))!;
  const found: [string, number][] = [];
  for await (const { logs } of scanLogs(rpc, { address: service, fromBlock: 0, toBlock: number, range: new BlockRange(10_000) })) {
    for (const log of logs) if (decodeConcluded([log], service).length > 0) found.push([log.topics[1]!, Number(BigInt(log.data.slice(0, 66)))]);
  }
  return found;
}

/** Opens three nodes and two attestations: the first gets a verdict, the second a single vote. */
async function openAttestations(): Promise<readonly [valid: Hex, withoutQuorum: Hex]> {
  world = await openReporterWorld({ operators: 3 });
  const { gateway } = world;
  const { operators, rpc, contracts: { service } } = gateway.chain;
  await gateway.enterAll(operators);
  const { attestationIds: [valid, withoutQuorum], chosen } = await gateway.attest(['one', 'two']);
  const vote = (account: TestAccount, attestationId: Hex) => sendTransactions(rpc, [
    { to: service, data: callDataOf({ kind: 'report', attestationId, result: 0, index: chosen.indexOf(account.address) }) },
  ], { key: account.privateKey });
  for (const operator of operators) await vote(operator, valid!);
  await vote(operators[0]!, withoutQuorum!);
  return [valid!, withoutQuorum!];
}

exhaustiveTest('a missing quorum is said by the event once, by one of two keys and over restarts, and not before the report window is over', async () => {
  const [, withoutQuorum] = await openAttestations();
  const { chain } = world.gateway;
  const second = testAccount(77);
  await chain.rpc.request('anvil_setBalance', [second.address, '0x8ac7230489e80000']);
  const start = (): Pipeline[] => [chain.relayer, second].map(({ privateKey }) => world.start({ keys: [privateKey] }));
  const first = start();
  await world.until(async () => (await stored()) === 2);
  await world.looks();
  expect(await concluded()).toEqual([]);
  await Promise.all(first.map((pipeline) => pipeline.close()));
  await chain.increaseTime(defaultRules.reportWindow + 121);
  start();
  await world.until(async () => (await stored()) === 0);
  await world.looks();
  expect([await concluded(), await world.sent('conclusion')]).toEqual([[[withoutQuorum, attestationStates.noVerdict]], 1]);
  const [{ spent, left, gas_per_day: budget } = { spent: 0, left: 0, gas_per_day: 0 }] = (await reportReporterBudgets(world.gateway.database, question())).filter(({ kind }) => kind === 'conclusion');
  expect([spent > 21_000, left]).toEqual([true, budget - spent]);
});

exhaustiveTest('with the setting all, attestations with a verdict are concluded too, and none is concluded twice that another did', async () => {
  const [valid, withoutQuorum] = await openAttestations();
  const { chain: { rpc, contracts: { service }, deployer, increaseTime } } = world.gateway;
  await increaseTime(defaultRules.reportWindow + 121);
  await sendTransactions(rpc, [{ to: service, data: concludeData(withoutQuorum) }], { key: deployer.privateKey });
  world.start({ settings: { keeper_conclusions: 'all' } });
  await world.until(async () => (await world.sent('conclusion', 'confirmed')) === 1 && (await stored()) === 0);
  expect(await concluded()).toEqual([[withoutQuorum, attestationStates.noVerdict], [valid, attestationStates.valid]]);
});

exhaustiveTest('a budget that is used up ends what it is for, and no other work of the keeper', async () => {
  const [, withoutQuorum] = await openAttestations();
  const { database, chain } = world.gateway;
  const { service } = question();
  await changeReporterBudgets(database, service, { gas: { activity: 200_000 } }, new Date(world.now()));
  await chain.increaseTime(defaultRules.reportWindow + minOnline);
  world.start();
  await world.until(async () => (await concluded()).length === 1);
  await world.looks();
  // The gas limit of a report of three nodes exceeds the remaining budget.
  expect([await concluded(), await world.sent('activity')]).toEqual([[[withoutQuorum, attestationStates.noVerdict]], 0]);
  await changeReporterBudgets(database, service, { gas: { activity: null } }, new Date(world.now()));
  await world.until(async () => (await world.credits()).length === 3);
});

function question(): ReportQuestion {
  const { deployment } = world.gateway;
  return { service: deployment.slice(0, deployment.lastIndexOf(':')), deployment, now: world.now() };
}

async function stored(): Promise<number> {
  return (await world.gateway.database.query('select 1 from gateway_attestations')).rowCount ?? 0;
}
