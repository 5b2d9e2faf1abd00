import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kept, NodeWorld, reached, until } from './fixtures/nodeWorld.ts';
import { RpcGate } from './fixtures/rpcGate.ts';

describe('where an endpoint is behind what it said before', () => {
  let world: NodeWorld;
  beforeAll(async () => { world = await NodeWorld.open(); });
  afterAll(() => world.close());

  const height = async (): Promise<number> => Number(await world.chain.rpc.request('eth_blockNumber'));

  it('a node believes it nothing about itself: neither that it is out of the active set nor that a report is gone', async () => {
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
      // Reports are looked at again after half a minute; the endpoint is back before it is believed.
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

  it('for longer than a node waits, and behind all that it remembers, it goes on from there', async () => {
    const account = world.chain.operators[0]!;
    await world.chain.mine(5);
    const gate = await RpcGate.start(world.chain.url);
    const from = world.lines.length;
    // The first place that it remembers is the newest block.
    const running = await world.start(account, { chain: { ...world.configuration().chain, rpcUrls: [gate.url], offsetBlock: 0 }, node: { ...world.configuration().node, dataPath: `${world.folder}/behind` } });
    await until(() => running.state()?.membership.active === true);
    gate.newest = (await height()) - 3;
    await until(() => world.lines.slice(from).some(({ msg }) => msg.includes('cannot be read') || msg.includes('reorganized')) || (world.skew(31), false));
    await until(async () => world.lines.slice(from).some(({ msg }) => msg.includes('reorganized')));
    gate.newest = null;
    const { attestationIds: [id] } = await world.attest('good');
    await reached(running, id!, 'reported');
    expect(world.lines.slice(from).map(({ msg }) => msg).filter((msg) => msg.includes('undefined'))).toEqual([]);
    await running.stop();
    await gate.stop();
  });
});
