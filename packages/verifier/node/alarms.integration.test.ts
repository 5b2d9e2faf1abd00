import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rm } from 'node:fs/promises';
import { mintLicenses } from '@vouch/chain/contracts/devnetActions';
import { callDataOf } from '@vouch/chain/contracts/service/actions';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { testAccount, type TestAccount } from '@vouch/chain/testing/testChain';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive, exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { runVerifier, writeConfiguration } from '../testing/runVerifier.ts';
import { kept, NodeWorld, reached, until } from '../testing/nodeWorld.ts';

describe('an operator is called', () => {
  let world: NodeWorld;
  beforeAll(async () => { world = await NodeWorld.open(); });
  afterEach(() => world.stopNodes());
  afterAll(() => world.close());

  const account = (): TestAccount => world.chain.operators[0]!;
  const refuseReports = (status: number, body: object): void => {
    world.gateway.intervene = ({ path }, response) => {
      if (!path.endsWith('report_verification')) return false;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    };
  };

  it('when a report is not on the chain at half of its time, and when that is over: in the log and by a POST each', async () => {
    const posts: Record<string, unknown>[] = [];
    let failures = 1;
    const receiver = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
        if ((failures -= 1) < 0) posts.push(JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>);
        response.writeHead(failures < 0 ? 204 : 500).end();
      });
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    // Shortens the 5 s delay before the second attempt; request timeouts of 10 s and more stay unchanged.
    const timers = { sleep: (ms: number, signal?: AbortSignal) => world.system.timers.sleep(ms < 10_000 ? Math.min(ms, 200) : ms, signal) };
    const running = await world.startActive(account(), { alertUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook` }, { system: { ...world.system, timers } });
    refuseReports(503, { error: 'The chain cannot be read now.', code: 'chain-unavailable' });
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => running.state()!.attestations.some(({ lastError }) => lastError !== null));
    expect(world.alarms('report-late')).toEqual([]);
    await world.moveOn(910);
    await until(() => world.alarms('report-late').length === 1);
    expect(world.alarms('report-late')[0]!.msg).toContain('The chain cannot be read now.');
    world.gateway.intervene = null;
    world.skew(70);
    await reached(running, id!, 'reported');
    // The unavailable gateway raises an alarm of its own, so the posts are filtered.
    const late = () => posts.filter(({ alarm }) => alarm === 'report-late');
    await until(() => late().length >= 2);
    expect(late().map(({ state, subject }) => [state, subject])).toEqual([['raised', id], ['over', id]]);
    expect(late()[0]).toMatchObject({ node: account().address, chain: 'test', sentence: expect.stringContaining(id!) as string, since: expect.stringMatching(/^\d{4}-.*Z$/) as string });
    await running.stop();
    receiver.close();
  });

  it('when a report was missed', async () => {
    const running = await world.startActive(account());
    refuseReports(400, { error: 'no', code: 'quota', reason: 'quota', message: 'no' });
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => running.state()!.attestations.some(({ lastError }) => lastError !== null));
    await world.moveOn(1_900);
    expect(await reached(running, id!, 'missed')).toMatchObject({ verdict: 0 });
    expect(world.alarms('report-missed').length).toBe(1);
    expect(running.state()!.counts.missed).toBe(1);
    world.gateway.intervene = null;
    await running.stop();
  });

  it('when gateway and RPC tell different things', async () => {
    const running = await world.startActive(account());
    refuseReports(400, { error: 'The node is not chosen.', code: 'not-chosen', reason: 'not-chosen', message: '' });
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => running.state()!.attestations.some(({ lastError }) => lastError?.includes('not chosen') === true));
    world.skew(50);
    await until(() => world.alarms('gateway-disagrees').length === 1);
    world.gateway.intervene = null;
    world.skew(70);
    await reached(running, id!, 'reported');
    await until(() => running.state()!.alarms.length === 0);
    await running.stop();
  });

  exhaustiveTest('when gateway and RPC tell different things, until the report is on the chain by another way', async () => {
    const running = await world.startActive(account());
    refuseReports(400, { error: 'The node is not chosen.', code: 'not-chosen', reason: 'not-chosen', message: '' });
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => running.state()!.attestations.some(({ lastError }) => lastError?.includes('not chosen') === true));
    world.skew(50);
    await until(() => world.alarms('gateway-disagrees').length === 2);
    const data = callDataOf({ kind: 'report', attestationId: id!, result: 0, index: kept(running, id!)!.chosenIndex! });
    await sendTransactions(world.chain.rpc, [{ to: world.chain.contracts.service, data }], { key: account().privateKey });
    await reached(running, id!, 'reported');
    await until(() => running.state()!.alarms.length === 0);
  });

  it('an attestation without collateral keeps no other one waiting, also if the clock is an hour off', async () => {
    const running = await world.startActive(account());
    await rm(world.pki.collateralFolder, { recursive: true });
    world.skew(3_600);
    await world.chain.mine();
    await until(() => running.state()!.alarms.some(({ code }) => code === 'clock-skew'));
    const { attestationIds: [first] } = await world.attest('good');
    await until(() => kept(running, first!)?.reason === 'collateral-missing');
    const { attestationIds: [second] } = await world.attest('not a quote');
    await reached(running, second!, 'reported');
    await world.pki.renewCollateral(new Date());
    world.skew(61);
    await reached(running, first!, 'reported');
    world.skew(-3_661);
  });

  it('when collateral is missing: there is no vote, and one as soon as there is collateral again', async () => {
    const running = await world.startActive(account());
    await rm(world.pki.collateralFolder, { recursive: true });
    // The collateral in memory is reused for one minute.
    world.skew(61);
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => world.alarms('no-vote').length > 0);
    expect(await reached(running, id!, 'chosen')).toMatchObject({ verdict: null, attempts: 0 });
    await world.pki.renewCollateral(new Date(world.system.clock.now()));
    world.skew(61);
    expect(await reached(running, id!, 'reported')).toMatchObject({ verdict: 0 });
    await until(() => running.state()!.alarms.length === 0);
    await running.stop();
  });

  it('when collateral was missing until an attestation ended: the alarm ends with its cause', async () => {
    const running = await world.startActive(account());
    await rm(world.pki.collateralFolder, { recursive: true });
    world.skew(61);
    const before = world.alarms('no-vote').length;
    const { attestationIds: [id] } = await world.attest('good');
    await until(() => world.alarms('no-vote').length > before);
    await world.moveOn(1_900);
    expect(await reached(running, id!, 'withheld')).toMatchObject({ verdict: null });
    await world.pki.renewCollateral(new Date(world.system.clock.now()));
    world.skew(61);
    await until(() => running.state()!.alarms.every(({ code }) => code !== 'no-vote'));
    expect(await reached(running, id!, 'withheld')).toMatchObject({ verdict: null });
    await running.stop();
  });

  exhaustiveTest('when this machine has a wrong clock, which makes no certificate invalid', async () => {
    const before = world.alarms('clock-skew').length;
    const running = await world.startActive(account());
    world.skew(9 * 365 * 86_400);
    const { attestationIds: [id] } = await world.attest('good');
    expect(await reached(running, id!, 'reported')).toMatchObject({ verdict: 0, reason: 'verified' });
    expect(world.alarms('clock-skew').length - before).toBe(1);
    world.skew(-9 * 365 * 86_400);
    await world.chain.mine();
    await until(() => running.state()!.alarms.length === 0);
    await running.stop();
  });

  it('when no license counts for the node; it enters as soon as one does', async () => {
    const stranger = testAccount(4_711);
    const running = await world.start(stranger);
    await until(() => world.alarms('not-delegated').length === 1);
    expect(running.state()!.membership.active).toBe(false);
    await mintLicenses(world.chain.rpc, world.chain.contracts, [{ address: stranger.address, count: 1 }], { key: world.chain.deployer.privateKey });
    await until(() => running.state()!.membership.active && running.state()!.alarms.length === 0);
    await running.stop();
  });

  exhaustiveTest('when the node was put out of the active set: it enters again, unless that is not wanted', async () => {
    const leave = { to: world.chain.contracts.service, data: callDataOf({ kind: 'exit', expiredAt: 0n }) };
    const running = await world.startActive(account());
    await sendTransactions(world.chain.rpc, [leave], { key: account().privateKey });
    await until(() => world.alarms('cleared').length === 1);
    await until(() => running.state()!.membership.active && running.state()!.alarms.length === 0);
    await running.stop();
    const { node } = world.configuration();
    const stubborn = await world.startActive(account(), { node: { ...node, reenter: false } });
    await sendTransactions(world.chain.rpc, [leave], { key: account().privateKey });
    await until(() => world.alarms('cleared').length === 2);
    const sent = world.gateway.received.length;
    await world.chain.mine();
    world.skew(300);
    await world.system.timers.sleep(1_500);
    expect([stubborn.state()!.membership.active, world.gateway.received.length]).toEqual([false, sent]);
    await stubborn.stop();
  });

  it('never, when the node left while it was stopped: the next start enters again, whatever node.reenter is', async () => {
    const before = await world.startActive(account());
    await before.stop();
    await sendTransactions(world.chain.rpc, [{ to: world.chain.contracts.service, data: callDataOf({ kind: 'exit', expiredAt: 0n }) }], { key: account().privateKey });
    const cleared = world.alarms('cleared').length;
    const entered = world.gateway.received.length;
    const { node } = world.configuration();
    const again = await world.startActive(account(), { node: { ...node, reenter: false } });
    expect(world.gateway.received.slice(entered)).toContainEqual(expect.objectContaining({ path: expect.stringMatching(/node_enter$/) as string }));
    expect(world.alarms('cleared').length).toBe(cleared);
    await again.stop();
  });

  exhaustiveTest('never, when `verifier exit` lets the node leave; a node that runs stays out until it is started anew', async () => {
    const running = await world.startActive(account());
    const cleared = world.alarms('cleared').length;
    const conf = writeConfiguration(world.folder, {
      'chain.rpc_url': `"${world.chain.url}"`, 'contract.addr': `"${world.chain.contracts.service}"`, 'gasless_service.url': `"${world.gateway.url}"`,
      'node.data_path': `"${world.configuration().node.dataPath}"`, 'log.format': 'json',
    });
    const { code, output } = await runVerifier(['exit', '-conf', conf, '-private-key', account().privateKey], '', world.system, new AbortController().signal);
    expect([code, output]).toEqual([0, expect.stringContaining('is not in the active set')]);
    await until(() => running.state()!.membership.active === false);
    world.skew(300);
    await world.system.timers.sleep(1_500);
    expect([running.state()!.membership.active, world.alarms('cleared').length]).toEqual([false, cleared]);
    await running.stop();
    const again = await world.startActive(account());
    await again.stop();
  });

  exhaustiveTest('when a second copy works with the same key: that one stands by, costs nothing, and takes over what the first leaves', async () => {
    const first = await world.startActive(account());
    const { chain, node } = world.configuration();
    const second = await world.startActive(account(), { chain: { ...chain, maxReportDelaySeconds: 600 }, node: { ...node, dataPath: `${world.folder}/second` } }, {
      system: { ...world.system, random: { ...world.system.random, fraction: () => 1 } },
    });
    const before = world.gateway.reports().length;
    const { attestationIds: [id] } = await world.attest('good');
    await reached(second, id!, 'reported');
    expect(world.alarms('second-copy').length).toBe(1);
    expect([first.state()!.standby, second.state()!.standby?.because]).toEqual([null, expect.stringContaining(id!)]);
    expect(world.gateway.reports().length).toBe(before + 1);
    await first.stop();
    const { attestationIds: [left] } = await world.attest('good');
    await until(() => kept(second, left!)?.state === 'chosen' && kept(second, left!)?.verdict !== null);
    await world.moveOn(910);
    expect(await reached(second, left!, 'reported')).toMatchObject({ attempts: 1 });
    expect(second.state()!.standby).toBe(null);
    await second.stop();
  });

  exhaustiveTest('never without a reason: -exit-on-stop leaves the active set, a plain stop does not', async () => {
    const stays = await world.startActive(account());
    await stays.stop();
    const leaves = await world.startActive(account(), {}, { exitOnStop: true });
    refuseReports(503, {});
    const { attestationIds: [due] } = await world.attest('good');
    await until(() => kept(leaves, due!)?.lastError != null);
    await leaves.stop();
    expect(world.lines.some(({ level, msg }) => level === 'warn' && /^One report .* also after the node has left: a report that is not sent counts as missed, unless the node starts again in time\.$/.test(msg))).toBe(true);
    world.gateway.intervene = null;
    expect([await stays.done, await leaves.done]).toEqual([{ how: 'stopped' }, { how: 'left' }]);
    expect([stays.state()!.membership.active, leaves.state()!.membership.active]).toEqual([true, false]);
    const running = await world.start(account());
    await until(() => running.state()?.membership.readAt !== null && running.state() !== null);
    await until(() => running.state()!.membership.active);
    await running.stop();
  });
});

describe.skipIf(!exhaustive)('more attestations within a minute than a node stores', () => {
  let world: NodeWorld;
  beforeAll(async () => { world = await NodeWorld.open({ operators: 1, blockTimeSeconds: 1 }); });
  afterAll(() => world.close());

  it('count once each, and their reports are no reports of another program', async () => {
    const { chain } = world.configuration();
    // As with the default interval, blocks of the last minute are scanned again.
    const running = await world.startActive(world.chain.operators[0]!, { chain: { ...chain, queryIntervalSeconds: 4 }, sending: { through: 'itself' } });
    for (let round = 0; round < 4; round += 1) await world.attest(...Array.from({ length: 150 }, () => 'not a quote' as const));
    await until(() => running.state()!.counts.reported >= 600);
    await world.system.timers.sleep(10_000);
    expect([running.state()!.counts, running.state()!.standby]).toMatchObject([{ announced: 600, chosen: 600, reported: 600 }, null]);
  });
});
