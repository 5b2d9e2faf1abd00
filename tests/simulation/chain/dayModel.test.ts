import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { mintLicenses } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { callDataOf, dailyActiveData } from '@vouch/chain/contracts/service/actions';
import { dayViews } from '@vouch/chain/contracts/service/dayViews';
import { fetchView, serviceViews } from '@vouch/chain/contracts/service/views';
import { domainHash } from '@vouch/chain/messages/digest';
import type { Hex } from '@vouch/chain/messages/operation';
import { openRecovery } from '@vouch/chain/messages/recover';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import { seededRandom, type SeededRandom } from '@vouch/platform/process/seededRandom';
import { creditedWeight, dateOf, noEarnings, usualDays } from './dayModel.ts';
import { ServiceModel } from './serviceModel.ts';
import type { ServiceState } from './serviceState.ts';

const steps = 80;
const hour = 3_600;

let chain: DeployedTestChain;
let model: ServiceModel;
beforeAll(async () => {
  chain = await startTestDeployment({ operators: 3 });
  const { service, settings } = chain.contracts;
  const days = { ...usualDays, dailyReward: await fetchView(chain.rpc, dayViews.dailyReward(settings)) };
  model = new ServiceModel({ address: service, multicall: zeroAddress, domain: domainHash(chain.domain), native: true, recovery: await openRecovery(), days });
});
afterAll(() => chain.stop());

/** A call of a node, or of another sender about the node. */
function drawCall(random: SeededRandom, { address }: TestAccount): Hex {
  const at = random.uniform();
  if (at < 0.45) return dailyActiveData(address);
  if (at < 0.65) return callDataOf({ kind: 'enter', replacedNode: zeroAddress, expiredAt: 0n });
  if (at < 0.72) return callDataOf({ kind: 'exit', expiredAt: 0n });
  if (at < 0.82) return callDataOf({ kind: 'commission', commissionRate: random.below(900), expiredAt: 0n });
  return encodeFunctionData({ abi: verifierServiceAbi, functionName: 'confirmNodeRewards', args: [address] });
}

/** What the contract says of nodes and of the newest days. */
async function readContract(nodes: readonly TestAccount[], today: number): Promise<unknown> {
  const { rpc, contracts: { service } } = chain;
  const found = [];
  for (const { address } of nodes) {
    const { active, lastEnterTime, commissionRate, lastConfirmDate, earned } = await fetchView(rpc, serviceViews.node(service, address));
    const weights = [];
    for (let date = today - 3; date <= today; date += 1) weights.push(await fetchView(rpc, dayViews.creditedWeight(service, address, date)));
    found.push({ active, lastEnterTime, commissionRate, lastConfirmDate, earned, weights });
  }
  const days = [];
  for (let date = today - 3; date <= today; date += 1) days.push([await fetchView(rpc, dayViews.unsettled(service, date)), await fetchView(rpc, dayViews.weightOfDay(service, date))]);
  return { found, days };
}

function readModel(state: ServiceState, nodes: readonly TestAccount[], today: number): unknown {
  const dates = [today - 3, today - 2, today - 1, today];
  return {
    found: nodes.map(({ address }) => {
      const node = state.nodes.get(address)!;
      const { active, lastEnterTime, commissionRate, earnings: { lastConfirmDate, selfTotal } } = node;
      return { active, lastEnterTime, commissionRate, lastConfirmDate, earned: selfTotal, weights: dates.map((date) => creditedWeight(node, date)) };
    }),
    days: dates.map((date) => {
      const { pot = 0n, weight = 0, settled = 0 } = state.days.get(date) ?? {};
      return [{ pot, weight: BigInt(weight - settled) }, weight];
    }),
  };
}

it('the model of days and rewards agrees with the contract after each of many calls, also about refused ones', async () => {
  const { rpc, contracts, deployer, operators } = chain;
  const random = seededRandom(9);
  await mintLicenses(rpc, contracts, [{ address: operators[1]!.address, count: 1 }, { address: operators[2]!.address, count: 2 }], { key: deployer.privateKey });
  // Licenses that are new in the last hours of a day do not earn this day.
  await chain.increaseTime(24 * hour);
  const fresh = (weight: number) => ({ id: 0, active: false, weight, claimer: zeroAddress, commissionRate: 0, lastModifyAt: 0, lastEnterTime: 0, earnings: noEarnings });
  let state: ServiceState = { nodes: new Map(operators.map(({ address }, at) => [address, fresh(1 + at)])), lastId: 0, applied: new Map(), changes: [], votes: new Map(), attestations: [], days: new Map() };
  const ended = { succeeded: 0, refused: 0 };
  for (let step = 0; step < steps; step += 1) {
    await chain.increaseTime(Math.floor(random.uniform() * 7 * hour));
    const node = random.pick(operators);
    const data = drawCall(random, node);
    const mined = await sendTransactions(rpc, [{ to: contracts.service, data, gas: 800_000n }], { key: node.privateKey }).then(([receipt]) => receipt!, () => null);
    const { timestamp } = (await getBlock(rpc, 'latest'))!;
    const outcome = model.execute(state, contracts.service, data, timestamp, node.address);
    expect(outcome.succeeded, `step ${step}: ${data.slice(0, 10)} ${outcome.succeeded ? '' : outcome.reason}`).toBe(mined !== null);
    ended[outcome.succeeded ? 'succeeded' : 'refused'] += 1;
    if (outcome.succeeded) state = outcome.state;
    const today = dateOf(timestamp, model.days);
    expect(readModel(state, operators, today), `step ${step}`).toEqual(await readContract(operators, today));
  }
  expect([ended.succeeded > steps / 3, ended.refused > 5, state.days.size > 4]).toEqual([true, true, true]);
});
