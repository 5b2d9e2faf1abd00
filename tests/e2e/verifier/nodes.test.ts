import { rewardTokenAbi } from '@vouch/chain/contracts/abi/rewardToken';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import type { Hex } from '@vouch/chain/messages/operation';
import { ethCall, getNonce } from '@vouch/chain/rpc/chainReads';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive, exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { verdictOf } from '@vouch/verifier/attestation/testPki/keepTestPki';
import { openNodeWorld, type NodeWorld, type PostedAttestation } from './world/openNodeWorld.ts';
import type { Reports } from './world/fetchReports.ts';

const kinds = ['good', 'not a quote', 'forged', 'debugged'] as const;

/** Checks that the chain has exactly the expected votes, whichever node was killed. */
function expectEveryVoteOnce(posted: readonly PostedAttestation[], { votes, skipped }: Reports): void {
  const wanted = posted.flatMap(({ id, kind, chosen }) => chosen.map((node) => `${id} ${node} votes ${verdictOf[kind]}`));
  expect(votes.map(({ attestationId, node, result }) => `${attestationId} ${node} votes ${result}`).toSorted()).toEqual(wanted.toSorted());
  expect(skipped).toEqual([]);
}

describe('three nodes through the gateway', () => {
  let world: NodeWorld;
  const posted: PostedAttestation[] = [];
  beforeAll(async () => {
    world = await openNodeWorld({ nodes: 3 });
    for (const node of world.nodes) node.start();
  });
  afterAll(() => world.close());

  it('enter, and set the commission and the claimer of their files, without a transaction of their own', async () => {
    for (const { account, claimer } of world.nodes) {
      await world.until('a node is active with its commission and claimer', async () => {
        const info = await world.nodeInfo(account.address);
        return info.active && info.commissionRate === 500 && info.claimer.toLowerCase() === claimer;
      });
      expect(await getNonce(world.chain.rpc, account.address)).toBe(0);
    }
  });

  it('vote 0, 1 or 2 as each attestation deserves, once each', async () => {
    const first = await world.attest(...kinds);
    posted.push(...first);
    for (const { chosen } of first) expect(chosen.length).toBe(3);
    expectEveryVoteOnce(first, await world.voted(first));
  });

  exhaustiveTest('miss nothing and report nothing twice when one after the other is killed and started again', async () => {
    const streamed: PostedAttestation[] = [];
    for (const [round, node] of [...world.nodes, world.nodes[0]!].entries()) {
      // Kills the node at a different time after the event in each round: before, while and after it reports.
      const attested = world.attest(kinds[round % kinds.length] ?? 'good', 'good');
      await new Promise((resolve) => setTimeout(resolve, 600 * round));
      await node.process?.kill();
      streamed.push(...await attested, ...await world.attest('good'));
      node.start();
    }
    posted.push(...streamed);
    expectEveryVoteOnce(streamed, await world.voted(streamed));
    for (const { account } of world.nodes) expect((await world.nodeInfo(account.address)).missed).toBe(0n);
  });

  it('end in order on SIGTERM, stay in the active set, and go on where they were', async () => {
    const [node] = world.nodes;
    expect(await node?.process?.stop()).toEqual({ code: 0, signal: null });
    const meanwhile = await world.attest('good');
    expect((await world.nodeInfo(node!.account.address)).active).toBe(true);
    node?.start();
    posted.push(...meanwhile);
    expectEveryVoteOnce(meanwhile, await world.voted(meanwhile));
  });

  exhaustiveTest('earn: days are reported, verdicts stand, rewards are credited and paid to the claimers', async () => {
    const { chain } = world;
    const { service } = chain.contracts;
    const active = async (): Promise<number> => new Set((await world.events()).flatMap((event) => (event.eventName === 'NodeDailyActive' ? [event.args.node] : []))).size;
    // A day that ends before it is reported is lost. In the next day, a transaction of any sender triggers that day's report.
    for (let tries = 0; tries < 50 && (await active()) < 3; tries += 1) {
      const more = await world.attest('good');
      await world.voted(more);
      posted.push(...more);
    }
    await world.until('the day of every node is reported', async () => (await active()) === 3);
    for (const node of world.nodes) expect(await node.process?.stop()).toEqual({ code: 0, signal: null });
    await chain.increaseTime(1_200);
    for (const { id, kind } of posted) {
      const verdict = decodeFunctionResult({
        abi: verifierServiceAbi, functionName: 'verdict',
        data: await ethCall(chain.rpc, { to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'verdict', args: [id] }) }),
      });
      expect(verdict).toEqual([true, verdictOf[kind]]);
    }
    for (const { account, claimer } of world.nodes) {
      const claim = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeClaim', args: [account.address] });
      await sendTransactions(chain.rpc, [{ to: service, data: claim, gas: 400_000n }], { key: account.privateKey });
      expect(await rewardOf(world, claimer!)).toBeGreaterThan(0n);
    }
  });

  it('say what they did in words, and show no key', () => {
    for (const { account, ...node } of world.nodes) {
      const log = node.log();
      expect(log).not.toContain(account.privateKey.slice(2));
      expect(log).not.toMatch(/^\s+at .+:\d+:\d+/m);
    }
  });
});

async function rewardOf({ chain: { rpc, contracts } }: NodeWorld, owner: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi: rewardTokenAbi, functionName: 'balanceOf', args: [owner] });
  return BigInt(await ethCall(rpc, { to: contracts.rewardToken, data }));
}

describe.skipIf(!exhaustive)('two nodes that pay for themselves', () => {
  let world: NodeWorld;
  beforeAll(async () => {
    // The rules make a complete day of presence impossible, because the transaction that reports a day would be counted too.
    world = await openNodeWorld({ nodes: 2, gateway: false, rules: { dayLength: 86_400, minOnline: 86_399 } });
    for (const node of world.nodes) node.start();
  });
  afterAll(() => world.close());

  it('enter, set commission and claimer, and vote once each, also when one is killed in the middle', async () => {
    for (const { account, claimer } of world.nodes) {
      await world.until('a node is active with its commission and claimer', async () => {
        const info = await world.nodeInfo(account.address);
        return info.active && info.commissionRate === 500 && info.claimer.toLowerCase() === claimer;
      });
    }
    const first = await world.attest(...kinds);
    const [node] = world.nodes;
    await node?.process?.kill();
    const second = await world.attest('good', 'forged');
    node?.start();
    expectEveryVoteOnce([...first, ...second], await world.voted([...first, ...second]));
    for (const { account } of world.nodes) expect(await getNonce(world.chain.rpc, account.address)).toBe(3 + 6);
  });
});
