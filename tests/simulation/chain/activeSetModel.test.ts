import { afterEach, expect, it } from 'vitest';
import { revertingServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingService';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { mintLicenses } from '@vouch/chain/contracts/devnetActions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { callDataOf } from '@vouch/chain/contracts/service/actions';
import { fetchView, serviceViews } from '@vouch/chain/contracts/service/views';
import { domainHash } from '@vouch/chain/messages/digest';
import type { Hex } from '@vouch/chain/messages/operation';
import { openRecovery } from '@vouch/chain/messages/recover';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { getBlock, type Log } from '@vouch/chain/rpc/chainReads';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';
import type { TestAccount } from '@vouch/chain/testing/testChain';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import { explainRevert } from '@vouch/gateway/calls/explainRevert';
import { seededRandom, type SeededRandom } from '@vouch/platform/process/seededRandom';
import { decodeEventLog } from 'viem';
import { noEarnings } from './dayModel.ts';
import { ServiceModel } from './serviceModel.ts';
import type { ServiceState } from './serviceState.ts';

const steps = 90;
const maxActiveNodes = 2;
/** Licenses of each node; the last one has none. */
const weights = [1, 2, 2, 3, 0];

let chain: DeployedTestChain;
afterEach(() => chain.stop());

/** Starts a contract with a small active set. */
async function start(native: boolean): Promise<{ model: ServiceModel; state: ServiceState }> {
  chain = await startTestDeployment({ operators: weights.length, licenses: 0, rules: { maxActiveNodes }, ...(native ? {} : { serviceBytecode: revertingServiceBytecode }) });
  const { rpc, contracts, deployer, operators } = chain;
  const holders = operators.map(({ address }, at) => ({ address, count: weights[at]! })).filter(({ count }) => count > 0);
  await mintLicenses(rpc, contracts, holders, { key: deployer.privateKey });
  const fresh = (weight: number) => ({ id: 0, active: false, weight, claimer: zeroAddress, commissionRate: 0, lastModifyAt: 0, lastEnterTime: 0, earnings: noEarnings });
  return {
    model: new ServiceModel({ address: contracts.service, multicall: zeroAddress, domain: domainHash(chain.domain), native, recovery: await openRecovery(), maxActiveNodes }),
    state: { nodes: new Map(operators.map(({ address }, at) => [address, fresh(weights[at]!)])), lastId: 0, applied: new Map(), changes: [], votes: new Map(), attestations: [], days: new Map() },
  };
}

function drawCall(random: SeededRandom, operators: readonly TestAccount[]): Hex {
  const replacedNode = random.uniform() < 0.1 ? zeroAddress : random.pick(operators).address;
  return callDataOf(random.uniform() < 0.75 ? { kind: 'enter', replacedNode, expiredAt: 0n } : { kind: 'exit', expiredAt: 0n });
}

/** Entries to the active set and removals from it, in order. */
function membershipOf(logs: readonly Pick<Log, 'topics' | 'data'>[]): string[] {
  return logs.flatMap(({ topics, data }) => {
    const event = decodeEventLog({ abi: verifierServiceAbi, topics: [...topics] as [Hex, ...Hex[]], data });
    return event.eventName === 'NodeActivate' || event.eventName === 'NodeClear' ? [`${event.eventName} ${event.args.node.toLowerCase()}`] : [];
  });
}

async function refusalOf(from: Hex, data: Hex): Promise<string | null> {
  const { rpc, contracts: { service } } = chain;
  return rpc.request('eth_call', [{ from, to: service, data }, 'latest']).then(() => null, (error: unknown) => {
    const revert = error instanceof RpcRefused ? error.data : undefined;
    if (typeof revert !== 'string') throw error;
    return explainRevert(revert as Hex);
  });
}

it.each([['Vouch\'s contract', true], ['a contract that reverts whole batches', false]] as const)('the model of a full active set agrees with %s about events, refusals and members', async (_, native) => {
  const started = await start(native);
  const { model } = started;
  let { state } = started;
  const { rpc, contracts: { service }, operators } = chain;
  const random = seededRandom(11);
  const seen = new Set<string>();
  for (let step = 0; step < steps; step += 1) {
    const { address, privateKey } = random.pick(operators);
    const data = drawCall(random, operators);
    const refusal = await refusalOf(address, data);
    const receipt = refusal === null ? (await sendTransactions(rpc, [{ to: service, data, gas: 800_000n }], { key: privateKey }))[0]! : null;
    const { timestamp } = (await getBlock(rpc, 'latest'))!;
    const outcome = model.execute(state, service, data, timestamp, address);
    expect(outcome.succeeded ? null : outcome.reason, `step ${step}`).toBe(refusal);
    seen.add(refusal ?? `${membershipOf(receipt!.logs).length} changes`);
    if (!outcome.succeeded) continue;
    state = outcome.state;
    expect(membershipOf(outcome.logs), `step ${step}`).toEqual(membershipOf(receipt!.logs));
    const members = await Promise.all(operators.map(async (each) => (await fetchView(rpc, serviceViews.node(service, each.address))).active));
    expect(members, `step ${step}`).toEqual(operators.map((each) => state.nodes.get(each.address)!.active));
  }
  expect([...seen].toSorted()).toEqual(['1 changes', '2 changes', 'Already enter', 'Already exit', 'Less weights', 'No delegationWeights', 'Replaced node is not active']);
});
