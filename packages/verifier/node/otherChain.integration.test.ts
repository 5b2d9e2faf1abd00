import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { Hex } from '@vouch/chain/messages/operation';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { kept, NodeWorld, reached, until } from '../testing/nodeWorld.ts';
import { RpcGate } from '../testing/rpcGate.ts';
import type { RunningNode } from '../node/startNode.ts';

let world: NodeWorld;
beforeAll(async () => { world = await NodeWorld.open(); });
afterAll(() => world.close());

describe('where the chain is begun anew at the same address, a node that runs', () => {
  let other: DeployedTestChain;
  beforeAll(async () => {
    // Other licenses give another genesis block; the contracts' Ethereum addresses stay the same.
    other = await startTestDeployment({ operators: 3, licenses: 2 });
    expect(other.contracts.service).toBe(world.chain.contracts.service);
  });
  afterAll(() => other.stop());

  it('notices it also where the endpoint changes over in the middle of a look', async () => {
    const gate = await RpcGate.start(world.chain.url);
    onTestFinished(() => gate.stop());
    const before = world.lines.length;
    const isNoticed = (): boolean => world.lines.slice(before).some(({ msg }) => msg.startsWith('The chain was reset: its id is the same'));
    world.gateway.intervene = (_received, response) => notNow(response);
    onTestFinished(() => { world.gateway.intervene = null; });
    const { chain, node } = world.configuration();
    const running = await world.start(world.chain.operators[2]!, { chain: { ...chain, rpcUrls: [gate.url], maxBlockPerQuery: 2 }, node: { ...node, dataPath: `${world.folder}/midway` } });
    onTestFinished(() => running.stop());
    const height = async ({ rpc }: DeployedTestChain): Promise<number> => Number(await rpc.request('eth_blockNumber'));
    const seen = await height(world.chain);
    await until(() => running.state()?.checkpoints.at(-1)?.block === seen);
    // The other chain has some of the blocks of this scan, but not the newest ones.
    await other.mine(seen + 4 - await height(other));
    let looks = 0;
    gate.rewrite = (text) => {
      if (isLook(text) && gate.target === other.url) looks += 1;
      if (isLook(text) && Number(newestOf(text)) > seen) gate.target = other.url;
      return text;
    };
    await world.chain.mine(10);
    await until(() => isNoticed() || looks >= 5);
    expect(isNoticed()).toBe(true);
  });

  exhaustiveTest.each([['is shorter', 0], ['is longer', 300]] as const)('begins anew where the new chain %s', async (_what, longer) => {
    const account = world.chain.operators[0]!;
    const gate = await RpcGate.start(world.chain.url);
    onTestFinished(() => gate.stop());
    const before = world.lines.length;
    const said = (): string[] => world.lines.slice(before).map(({ msg }) => msg);
    const running = await world.startActive(account, { chain: { ...world.configuration().chain, rpcUrls: [gate.url] } });
    onTestFinished(() => running.stop());
    world.gateway.intervene = ({ path }, response) => path.endsWith('report_verification') && notNow(response);
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => (kept(running, id!)?.attempts ?? 0) > 0);
    await world.moveOn(910);
    await until(() => world.lines.slice(before).some(({ alarm }) => alarm === 'report-late'));
    // The gateway knows only the first chain; without this refusal, its answers would raise an alarm.
    world.gateway.intervene = (_received, response) => notNow(response);
    if (longer > 0) await other.mine(longer);
    gate.target = other.url;
    await until(() => said().some((line) => line.startsWith('The chain was reset: its id is the same')));
    await until(() => running.state()!.membership.weight === 2);
    expect(running.state()).toMatchObject({ attestations: [], membership: { active: false }, alarms: [] });
    expect(await readdir(running.folder)).toContain('state.json.other-chain');
    expect(world.lines.slice(before).filter(({ alarm }) => alarm === 'cleared' || alarm === 'report-missed')).toEqual([]);
    expect(said().filter((line) => line.includes('was reorganized'))).toEqual([]);
    // Switches back to the first chain.
    world.gateway.intervene = null;
    gate.target = world.chain.url;
    await reached(running, id!, 'reported');
  });
});

describe('where one of two endpoints serves a chain with another id, a node', () => {
  let other: DeployedTestChain;
  beforeAll(async () => { other = await startTestDeployment({ chainId: 4_242n, operators: 1 }); });
  afterAll(() => other.stop());

  it('starts with the other endpoint, and names the one that it does not use', async () => {
    const before = world.alarms('wrong-chain').length;
    const running = await world.startActive(world.chain.operators[0]!, { chain: { ...world.configuration().chain, rpcUrls: [other.url, world.chain.url] } });
    onTestFinished(() => running.stop());
    await until(() => world.alarms('wrong-chain').length > before);
    const { attestationIds: [id] } = await world.attest('good');
    await reached(running, id!, 'reported');
    expect(world.alarms('wrong-chain').slice(before).map(({ msg }) => msg)).toEqual([
      `RPC endpoint ${new URL(other.url).host} serves chain 4242, but chain.chain_id is 31337: remove the endpoint from chain.rpc_url. The node ignores its answers.`,
    ]);
  });

  it('goes on with the other endpoint where that changes while it runs, and uses it again when it is right', async () => {
    const gate = await RpcGate.start(world.chain.url);
    onTestFinished(() => gate.stop());
    const before = world.alarms('wrong-chain').length;
    const running = await world.startActive(world.chain.operators[0]!, { chain: { ...world.configuration().chain, rpcUrls: [gate.url, world.chain.url] } });
    onTestFinished(() => running.stop());
    gate.target = other.url;
    await until(() => running.state()!.alarms.some(({ code }) => code === 'wrong-chain'));
    world.skew(61);
    const { attestationIds: [id] } = await world.attest('good');
    await reached(running, id!, 'reported');
    expect(running.state()!.alarms.map(({ code }) => code)).toEqual(['wrong-chain']);
    gate.target = world.chain.url;
    world.skew(31);
    await until(() => running.state()!.alarms.length === 0);
    expect(world.alarms('wrong-chain').slice(before)).toHaveLength(1);
  });
});

describe('where an endpoint is behind what it said before', () => {
  const height = async (): Promise<number> => Number(await world.chain.rpc.request('eth_blockNumber'));
  const withoutLists = (text: string): string => text.replace(/"result":\[.*\]/s, '"result":[]');

  async function startBehindGate(chain: { maxBlockPerQuery?: number } = {}): Promise<{ gate: RpcGate; running: RunningNode }> {
    const gate = await RpcGate.start(world.chain.url);
    return { gate, running: await world.startActive(world.chain.operators[0]!, { chain: { ...world.configuration().chain, rpcUrls: [gate.url], ...chain } }) };
  }

  /** Expects that a node has not seen an attestation, and reports it once the endpoint leaves out nothing any more. */
  async function findsAfterAll(gate: RpcGate, running: RunningNode, id: Hex): Promise<void> {
    expect(kept(running, id)).toBeUndefined();
    gate.rewrite = null;
    await world.chain.mine();
    await reached(running, id, 'reported');
    await running.stop();
    await gate.stop();
  }

  exhaustiveTest('a node believes it nothing about itself: neither that it is out of the active set nor that a report is gone', async () => {
    const account = world.chain.operators[0]!;
    const before = await height();
    const gate = await RpcGate.start(world.chain.url);
    const from = world.lines.length;
    const running = await world.startActive(account, { chain: { ...world.configuration().chain, rpcUrls: [gate.url] } });
    const { attestationIds: [id] } = await world.attest('good');
    await reached(running, id!, 'reported');
    const sent = world.gateway.received.length;
    await world.chain.mine();
    await until(async () => running.state()!.checkpoints.at(-1)!.block === await height());
    for (let flip = 0; flip < 3; flip += 1) {
      gate.newest = before;
      // Reports are rechecked after 30 s; the endpoint recovers before the node accepts its answer.
      if (flip === 1) world.skew(31);
      let asked = gate.asked;
      await until(() => gate.asked > asked + 3);
      gate.newest = null;
      asked = gate.asked;
      await until(() => gate.asked > asked + 3);
    }
    expect(world.lines.slice(from).filter(({ alarm, msg }) => alarm !== undefined || msg.includes('no more'))).toEqual([]);
    expect(running.state()!.membership.active).toBe(true);
    expect(world.gateway.received.length).toBe(sent);
    expect(kept(running, id!)?.state).toBe('reported');
    await running.stop();
    await gate.stop();
  });

  exhaustiveTest('in events alone, which its list leaves out for some looks, a node finds them all the same', async () => {
    const { gate, running } = await startBehindGate();
    gate.rewrite = withoutLists;
    const { attestationIds: [id] } = await world.attest('good');
    for (let look = 0; look < 5; look += 1) {
      const seen = await height();
      await until(() => running.state()!.checkpoints.at(-1)!.block >= seen);
      await world.chain.mine();
    }
    await findsAfterAll(gate, running, id!);
  });

  it('in the events of blocks that one scan reads with several queries, a node finds them all the same', async () => {
    const { gate, running } = await startBehindGate({ maxBlockPerQuery: 2 });
    gate.deaf = true;
    const { attestationIds: [id] } = await world.attest('good');
    await world.chain.mine(20);
    gate.rewrite = withoutLists;
    gate.deaf = false;
    const seen = await height();
    await until(() => running.state()!.checkpoints.at(-1)!.block >= seen);
    await findsAfterAll(gate, running, id!);
  });

  it('for every third query, a node still gets through the blocks that it missed', async () => {
    const { gate, running } = await startBehindGate({ maxBlockPerQuery: 2 });
    gate.deaf = true;
    const { attestationIds: [id] } = await world.attest('good');
    await world.chain.mine(40);
    let queries = 0;
    gate.rewrite = (text) => {
      if (/^\{.*"result":\[/s.test(text) && (queries += 1) % 3 === 0) throw new Error('the connection breaks');
      return text;
    };
    gate.deaf = false;
    await reached(running, id!, 'reported');
    const seen = await height();
    await until(() => running.state()!.checkpoints.at(-1)!.block >= seen);
    expect(queries).toBeGreaterThan(20);
    await running.stop();
    await gate.stop();
  });

  exhaustiveTest('for longer than a node waits, and behind all that it remembers, it goes on from there', async () => {
    const account = world.chain.operators[0]!;
    await world.chain.mine(5);
    const gate = await RpcGate.start(world.chain.url);
    const from = world.lines.length;
    // With offsetBlock 0, the first checkpoint is the newest block.
    const running = await world.start(account, { chain: { ...world.configuration().chain, rpcUrls: [gate.url], offsetBlock: 0 }, node: { ...world.configuration().node, dataPath: `${world.folder}/behind` } });
    await until(() => running.state()?.membership.active === true);
    gate.newest = (await height()) - 3;
    await until(() => {
      world.skew(1);
      return world.lines.slice(from).some(({ msg }) => msg.includes('undefined') || msg.startsWith('The newest block is older than the last processed block'));
    });
    gate.newest = null;
    const { attestationIds: [id] } = await world.attest('good');
    await reached(running, id!, 'reported');
    expect(world.lines.slice(from).map(({ msg }) => msg).filter((msg) => msg.includes('undefined'))).toEqual([]);
    await running.stop();
    await gate.stop();
  });

  it('and the blocks that follow choose nobody, it forgets that it was chosen, and misses nothing', async () => {
    const account = world.chain.operators[0]!;
    const from = world.lines.length;
    const running = await world.startActive(account);
    await world.chain.mine();
    const snapshot = await world.chain.rpc.request('evm_snapshot');
    const branch = await height();
    await until(() => running.state()!.checkpoints.at(-1)!.block >= branch);
    world.gateway.intervene = ({ path }, response) => {
      if (path.endsWith('report_verification')) response.writeHead(503).end('{}');
      return path.endsWith('report_verification');
    };
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => (kept(running, id!)?.attempts ?? 0) > 0);
    await until(async () => running.state()!.checkpoints.at(-1)!.block === await height());
    await world.chain.rpc.request('evm_revert', [snapshot]);
    await until(() => {
      world.skew(1);
      return world.lines.slice(from).some(({ msg }) => msg.startsWith('The newest block is older than the last processed block'));
    });
    expect(kept(running, id!)).toMatchObject({ chosenIndex: expect.any(Number) as number });
    world.skew(910);
    await until(() => running.state()!.alarms.some(({ code }) => code === 'report-late'));
    await world.chain.mine(10);
    await until(() => kept(running, id!)?.state === 'announced');
    await until(() => running.state()!.alarms.every(({ code }) => code !== 'report-late'));
    await world.chain.increaseTime(3_600);
    const last = await height();
    await until(() => running.state()!.checkpoints.at(-1)!.block >= last);
    expect(world.alarms('report-missed')).toEqual([]);
    world.gateway.intervene = null;
    await running.stop();
  });

  it('or has the first block no more, a node takes what it kept for that of this chain all the same', async () => {
    const account = world.chain.operators[0]!;
    const gate = await RpcGate.start(world.chain.url);
    const through = { chain: { ...world.configuration().chain, rpcUrls: [gate.url] } };
    const first = await world.startActive(account, through);
    const { attestationIds: [id] } = await world.attest('good');
    await reached(first, id!, 'reported');
    const counts = first.state()!.counts;
    await first.stop();
    gate.pruned = true;
    const second = await world.startActive(account, through);
    expect(second.state()!.counts).toEqual(counts);
    await second.stop();
    gate.pruned = false;
    const third = await world.startActive(account, through);
    expect(third.state()!.counts).toEqual(counts);
    await third.stop();
    await gate.stop();
  });
});

/** Refuses a message with 503, so that the node sends it again. */
function notNow(response: ServerResponse): true {
  response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"not now","code":"x"}');
  return true;
}

/** Whether this is the first answer of a scan: a batch of chain id, newest block, checkpoint, node and weight. */
function isLook(text: string): boolean {
  const answer = JSON.parse(text) as unknown;
  return Array.isArray(answer) && answer.length === 5;
}

/** Returns the number of the newest block in this answer, in hex. */
function newestOf(text: string): string | undefined {
  return (JSON.parse(text) as { id: number; result?: { number?: string } }[])[1]?.result?.number;
}
