import { get as ask } from 'node:http';
import { connect } from 'node:net';
import { freePort } from '@vouch/platform/process/fixtures/freePort';
import { expect, it } from 'vitest';
import { NodeWorld, until } from './fixtures/nodeWorld.ts';
import { RpcGate } from './fixtures/rpcGate.ts';

it('health and metrics are served where the configuration asks for it, say when something is wrong, and hold no secret', async () => {
  const world = await NodeWorld.open();
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
  // Others hold connections open and ask nothing.
  const silent = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(silent.map((socket) => new Promise<void>((done) => socket.once('connect', () => done()))));
  // By a connection of its own, as probes do.
  const status = await new Promise((resolve, reject) => ask({ port, path: '/health', agent: false }, (answer) => resolve(answer.statusCode)).on('error', reject));
  expect(status).toBe(200);
  for (const socket of silent) socket.destroy();
  gate.deaf = true;
  await until(() => world.lines.some(({ msg }) => msg.startsWith('The chain cannot be read now')));
  world.skew(200);
  await until(async () => (await get('/health')).status === 503);
  const all = health.text + metrics.text + (await get('/health')).text + (await get('/metrics')).text + JSON.stringify(world.lines);
  expect(all).not.toContain('key-of-a-hosted-service');
  expect(all).not.toContain(account.privateKey.slice(2));
  await running.stop();
  await expect(get('/health')).rejects.toThrow();
  await gate.stop();
  await world.close();
});
