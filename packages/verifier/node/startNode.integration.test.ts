import { get as ask } from 'node:http';
import { connect } from 'node:net';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { ethCall } from '@vouch/chain/rpc/chainReads';
import { freePort } from '@vouch/platform/testing/freePort';
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { runVerifier, writeConfiguration } from '../testing/runVerifier.ts';
import { kept, NodeWorld, reached, until } from '../testing/nodeWorld.ts';
import { RpcGate } from '../testing/rpcGate.ts';

// All tests share one world. Its clocks only advance, so the test that advances them by a day comes last.
let world: NodeWorld;
beforeAll(async () => { world = await NodeWorld.open(); });
afterAll(() => world.close());

it('a node from nothing enters, is chosen without a restart, judges what is announced and reports each verdict, through the gateway', async () => {
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

it('health and metrics are served where the configuration asks for it, say when something is wrong, and hold no secret', async () => {
  const from = world.lines.length;
  const gate = await RpcGate.start(world.chain.url);
  const port = await freePort();
  const account = world.chain.operators[0]!;
  const { chain, node } = world.configuration();
  const running = await world.startActive(account, { chain: { ...chain, rpcUrls: [`${gate.url}/key-of-a-hosted-service`] }, node: { ...node, healthListen: { host: '127.0.0.1', port } } });
  const get = async (path: string): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  const health = await get('/health');
  expect([health.status, JSON.parse(health.text)]).toEqual([200, expect.objectContaining({ healthy: true, active: true, node: account.address, alarms: [] })]);
  const metrics = await get('/metrics');
  expect(metrics.text).toMatch(/^verifier_active 1$/m);
  for (const line of metrics.text.trim().split('\n')) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+ -?\d+)$/);
  expect((await get('/state.json')).status).toBe(404);
  // Idle connections of other clients.
  const silent = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(silent.map((socket) => new Promise<void>((done) => socket.once('connect', () => done()))));
  // A new connection, as health probes use.
  const status = await new Promise((resolve, reject) => ask({ port, path: '/health', agent: false }, (answer) => resolve(answer.statusCode)).on('error', reject));
  expect(status).toBe(200);
  for (const socket of silent) socket.destroy();
  gate.deaf = true;
  await until(() => world.lines.slice(from).some(({ msg }) => msg.startsWith('The chain cannot be read: ')));
  world.skew(200);
  await until(async () => (await get('/health')).status === 503);
  const all = health.text + metrics.text + (await get('/health')).text + (await get('/metrics')).text + JSON.stringify(world.lines);
  expect(all).not.toContain('key-of-a-hosted-service');
  expect(all).not.toContain(account.privateKey.slice(2));
  await running.stop();
  await expect(get('/health')).rejects.toThrow();
  await gate.stop();
});

/** Known faults of existing node programs, one test each. */
describe('a node', () => {
  /** Reads the vote at a position: 0 none, otherwise 1 + result. */
  async function voteAt(attestationId: Hex, index: number): Promise<number> {
    const { rpc, contracts: { service } } = world.chain;
    const data = encodeFunctionData({ abi: verifierServiceAbi, functionName: 'voteAt', args: [attestationId, index] });
    return decodeFunctionResult({ abi: verifierServiceAbi, functionName: 'voteAt', data: await ethCall(rpc, { to: service, data }) });
  }

  it('sets claimer and commission in one start, where both differ, and 1.15 % to the digit', async () => {
    const [account, other] = world.chain.operators;
    const running = await world.startActive(account!, { rewardClaimer: other!.address, commissionRate: 115 });
    await until(() => running.state()!.membership.claimer === other!.address && running.state()!.membership.commissionRate === 115);
    await running.stop();
    const again = await world.startActive(account!, { commissionRate: 200 });
    await until(() => world.lines.some(({ msg }) => msg.startsWith('The commission differs')));
    expect(world.lines.find(({ msg }) => msg.startsWith('The commission differs'))?.msg).toMatch(/can be changed in (?:7 d|6 d 23 h): the contract allows one change per 7 d\.$/);
    await again.stop();
  });

  it('leaves both as they are where the configuration does not name them', async () => {
    const [account, other] = world.chain.operators;
    const sent = world.gateway.received.length;
    const running = await world.startActive(account!);
    const { attestationIds } = await world.attest('good');
    await reached(running, attestationIds[0]!, 'reported');
    expect(running.state()!.membership).toMatchObject({ claimer: other!.address, commissionRate: 115 });
    expect(world.gateway.received.slice(sent).map(({ path }) => path)).toEqual(['/explorer_alphanet/send_tx_node_report_verification']);
    await running.stop();
  });

  it('reports on the first attestation after it entered for the first time, and with result and index in their places in gas mode', async () => {
    const [first, account] = world.chain.operators;
    const other = await world.startActive(first!);
    const running = await world.startActive(account!, { sending: { through: 'itself' } });
    const { attestationIds, chosen } = await world.attest('good', 'not a quote', 'forged');
    const index = chosen.indexOf(account!.address);
    expect(new Set(chosen).size).toBe(2);
    for (const [at, id] of attestationIds.entries()) {
      expect(await reached(running, id, 'reported')).toMatchObject({ verdict: at, chosenIndex: index, attempts: 1 });
      expect(await voteAt(id, index)).toBe(1 + at);
      await reached(other, id, 'reported');
    }
    await Promise.all([running.stop(), other.stop()]);
  });

  exhaustiveTest('tries a report again for as long as its deadline allows, not three times', async () => {
    const [account] = world.chain.operators;
    const running = await world.startActive(account!);
    let refusals = 0;
    const before = world.lines.length;
    const failures = (): number => world.lines.slice(before).filter(({ msg }) => msg.startsWith('A report could not be submitted')).length;
    world.gateway.intervene = ({ path }, response) => {
      if (!path.endsWith('report_verification') || (refusals += 1) > 7) return false;
      response.writeHead(refusals % 2 === 0 ? 503 : 400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: 'not now', code: 'x', reason: 'x', message: 'not now' }));
      return true;
    };
    const { attestationIds } = await world.attest('good');
    for (let tries = 1; tries <= 7; tries += 1) {
      await until(() => failures() >= tries);
      // Retries are up to a minute apart, so the test advances the clock.
      world.skew(76);
    }
    const { attempts } = await reached(running, attestationIds[0]!, 'reported');
    expect(attempts).toBeGreaterThan(7);
    world.gateway.intervene = null;
    await running.stop();
  });

  exhaustiveTest('looks at the chain one scan after the other, however slow the endpoint is', async () => {
    const [account] = world.chain.operators;
    const gate = await RpcGate.start(world.chain.url);
    const running = await world.startActive(account!, { chain: { ...world.configuration().chain, rpcUrls: [gate.url], queryIntervalSeconds: 0.05 } });
    gate.delayMs = 300;
    const { attestationIds } = await world.attest('good');
    await reached(running, attestationIds[0]!, 'reported');
    expect(gate.together('eth_getLogs')).toBe(1);
    expect(running.state()!.counts.announced).toBe(new Set(running.state()!.attestations.map((each) => each.attestationId)).size);
    await running.stop();
    await gate.stop();
  });

  it('ends with a code that is not 0, and a sentence, where it cannot work', async () => {
    const [account] = world.chain.operators;
    const { service, settings } = world.chain.contracts;
    const start = (changes: Record<string, string>) => runVerifier(
      ['-private-key', account!.privateKey, '-conf', writeConfiguration(world.folder, {
        'chain.rpc_url': `"${world.chain.url}"`, 'contract.addr': `"${service}"`, 'gasless_service.url': `"${world.gateway.url}"`, 'node.data_path': `"${world.folder}/ends"`, ...changes,
      })], '', world.system, new AbortController().signal,
    );
    expect(await start({ 'chain.chain_id': '42161' })).toMatchObject({ code: 2, errors: expect.stringMatching(/serves chain 31337, but chain.chain_id is 42161/) as string });
    expect(await start({ 'contract.addr': `"${account!.address}"` })).toMatchObject({ code: 2, errors: expect.stringMatching(/no contract at contract.addr/) as string });
    expect(await start({ 'signature.domain_version': '"2.0.0"' })).toMatchObject({ code: 2, errors: expect.stringMatching(/The signing domain of the contract is not/) as string });
    expect(await start({ 'node.data_path': '"/dev/null/node"' })).toMatchObject({ code: 2, errors: expect.stringMatching(/node\.data_path: \/dev\/null\/node\/31337-.* cannot be used \(ENOTDIR\)/) as string });
    expect((await start({ 'contract.addr': `"${settings}"`, 'chain.chain_id': '1' })).code).toBe(2);
  });
});

it('a node does all of it in gas mode, with transactions of its own', async () => {
  const [, account] = world.chain.operators;
  const before = world.gateway.received.length;
  const running = await world.startActive(account!, { sending: { through: 'itself' }, commissionRate: 500 });
  const { attestationIds } = await world.attest('good', 'forged');
  const reports = await Promise.all(attestationIds.map((id) => reached(running, id, 'reported')));
  expect(reports.map(({ verdict }) => verdict)).toEqual([0, 2]);
  await until(() => running.state()?.membership.commissionRate === 500);
  // Advances to the seventh hour of a day. In gas mode, the node itself reports the day to the contract.
  const days = world.lines.length;
  await world.moveOn(86_400 - (await world.now() % 86_400) + 7 * 3_600);
  await until(() => world.lines.slice(days).some(({ msg }) => msg.includes('reported its activity of today')));
  expect(world.gateway.received.length).toBe(before);
  await running.stop();
  expect(kept(running, attestationIds[0]!)!.attempts).toBe(1);
});
