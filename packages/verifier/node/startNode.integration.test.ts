import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kept, NodeWorld, reached, until } from './fixtures/nodeWorld.ts';

describe('a node from nothing', () => {
  let world: NodeWorld;
  beforeAll(async () => { world = await NodeWorld.open(); });
  afterAll(() => world.close());

  it('enters, is chosen without a restart, judges what is announced and reports each verdict, through the gateway', async () => {
    const [account] = world.chain.operators;
    const running = await world.startActive(account!);
    const { attestationIds } = await world.attest('good', 'not a quote', 'forged');
    const reports = await Promise.all(attestationIds.map((id) => reached(running, id, 'reported')));
    expect(reports.map(({ verdict, reason }) => [verdict, reason])).toEqual([[0, 'verified'], [1, 'quote-unsupported'], [2, 'quote-forged']]);
    for (const id of attestationIds) expect(await world.voteOf(id, account!)).toBe(true);
    expect(world.gateway.reports().map(({ body }) => body['result']).sort()).toEqual([0, 1, 2]);
    await running.stop();
    expect(await running.done).toEqual({ how: 'stopped' });
  });

  it('does all of it in gas mode, with transactions of its own', async () => {
    const [, account] = world.chain.operators;
    const before = world.gateway.received.length;
    const running = await world.startActive(account!, { sending: { through: 'itself' }, commissionRate: 500 });
    const { attestationIds } = await world.attest('good', 'forged');
    const reports = await Promise.all(attestationIds.map((id) => reached(running, id, 'reported')));
    expect(reports.map(({ verdict }) => verdict)).toEqual([0, 2]);
    await until(() => running.state()?.membership.commissionRate === 500);
    // Six hours of a day; a gateway would tell the contract, in gas mode the node does.
    const days = world.lines.length;
    await world.moveOn(86_400 - (await world.now() % 86_400) + 7 * 3_600);
    await until(() => world.lines.slice(days).some(({ msg }) => msg.includes('was active today')));
    expect(world.gateway.received.length).toBe(before);
    await running.stop();
    expect(kept(running, attestationIds[0]!)!.attempts).toBe(1);
  });
});
