import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/devnet/testDeployment';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { kept, NodeWorld, reached, until } from './fixtures/nodeWorld.ts';
import { RpcGate } from './fixtures/rpcGate.ts';

describe('where the chain is begun anew at the same address, a node that runs', () => {
  let world: NodeWorld;
  let other: DeployedTestChain;
  beforeAll(async () => {
    world = await NodeWorld.open();
    // Other licenses, so another first block; the contracts have the same addresses.
    other = await startTestDeployment({ operators: 3, licenses: 2 });
    expect(other.contracts.service).toBe(world.chain.contracts.service);
  });
  afterAll(async () => {
    await other.stop();
    await world.close();
  });

  it('notices it also where the endpoint changes over in the middle of a look', async () => {
    const gate = await RpcGate.start(world.chain.url);
    onTestFinished(() => gate.stop());
    const before = world.lines.length;
    const isNoticed = (): boolean => world.lines.slice(before).some(({ msg }) => msg.startsWith('The chain is another one than before, of the same id'));
    world.gateway.intervene = (_received, response) => notNow(response);
    onTestFinished(() => { world.gateway.intervene = null; });
    const { chain, node } = world.configuration();
    const running = await world.start(world.chain.operators[2]!, { chain: { ...chain, rpcUrls: [gate.url], maxBlockPerQuery: 2 }, node: { ...node, dataPath: `${world.folder}/midway` } });
    onTestFinished(() => running.stop());
    const height = async ({ rpc }: DeployedTestChain): Promise<number> => Number(await rpc.request('eth_blockNumber'));
    const seen = await height(world.chain);
    await until(() => running.state()?.checkpoints.at(-1)?.block === seen);
    // The other chain has some of the blocks that the look asks for, and not the last ones.
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

  it.each([['is shorter', 0], ['is longer', 300]])('takes it for another one and begins anew, where that one %s', async (_what, longer) => {
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
    // This gateway knows the first chain alone: what it said of the other one would be an alarm.
    world.gateway.intervene = (_received, response) => notNow(response);
    if (longer > 0) await other.mine(longer);
    gate.target = other.url;
    await until(() => said().some((line) => line.startsWith('The chain is another one than before, of the same id')));
    await until(() => running.state()!.membership.weight === 2);
    expect(running.state()).toMatchObject({ attestations: [], membership: { active: false }, alarms: [] });
    expect(await readdir(running.folder)).toContain('state.json.other-chain');
    expect(world.lines.slice(before).filter(({ alarm }) => alarm === 'cleared' || alarm === 'report-missed')).toEqual([]);
    expect(said().filter((line) => line.includes('was reorganized'))).toEqual([]);
    // And back: the old chain is now the other one.
    world.gateway.intervene = null;
    gate.target = world.chain.url;
    await reached(running, id!, 'reported');
  });
});

/** Refuses a message for a while, so that it is sent again. */
function notNow(response: ServerResponse): true {
  response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"not now","code":"x"}');
  return true;
}

/** Whether this is the answer with which a look begins: chain id, newest block, checkpoint, node and weight. */
function isLook(text: string): boolean {
  const answer = JSON.parse(text) as unknown;
  return Array.isArray(answer) && answer.length === 5;
}

/** Number of the newest block in such an answer, in hexadecimal. */
function newestOf(text: string): string | undefined {
  return (JSON.parse(text) as { id: number; result?: { number?: string } }[])[1]?.result?.number;
}
