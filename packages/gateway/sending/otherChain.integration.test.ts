import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayTestServer } from '../testing/gatewayTestServer.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';
import { startEndpoint, type TestEndpoint } from '../testing/testEndpoint.ts';

shareDatabases();

let gateway: GatewayTestServer;
let other: DeployedTestChain;
let endpoint: TestEndpoint;

beforeAll(async () => {
  [endpoint, other] = await Promise.all([startEndpoint(), startTestDeployment({ chainId: 4_242n, operators: 1 })]);
  // The relayer key is in use on the other chain too, so its nonces and funds there are plausible ones.
  for (let nonce = 0; nonce < 3; nonce += 1) await sendTransactions(other.rpc, [{ to: other.deployer.address, data: '0x', gas: 21_000n }], { key: other.relayer.privateKey });
  await other.mine(20);
  gateway = await GatewayTestServer.start({ operators: 1, automine: false, rpcUrl: endpoint.url, patience: 1, settings: { chain_rpc_url: [endpoint.url, other.url], batch_window_ms: 0 } });
  endpoint.to(gateway.chain.url);
});
afterAll(async () => {
  await gateway?.close();
  endpoint?.close();
  await other?.stop();
});

async function laneReason(): Promise<string> {
  return (await gateway.database.query<{ reason: string | null }>('select reason from gateway_lines')).rows[0]?.reason ?? '';
}

async function stateOfMessage(): Promise<string | undefined> {
  return (await gateway.rowsOf(gateway.chain.operators[0]!))[0]?.state;
}

it('an endpoint of another chain does not replace one that fails: what is sent stays sent, once', async () => {
  gateway.startSending();
  expect((await gateway.signAndSend(await gateway.claimerMessage(), gateway.chain.operators[0]!)).status).toBe(200);
  await expect.poll(stateOfMessage, { timeout: 20_000 }).toBe('sent');
  endpoint.off = true;
  await expect.poll(laneReason, { timeout: 20_000 }).toMatch(/serves chain 4242, but chain 31337 is configured/);
  await systemInterfaces.timers.sleep(2_000);
  endpoint.off = false;
  await gateway.ended();
  expect(await stateOfMessage()).toBe('confirmed');
  const { rows } = await gateway.database.query(`select b.state, purpose, count(*)::int as attempts from gateway_batches b join gateway_attempts using (batch_id) group by 1, 2`);
  expect(rows).toEqual([{ state: 'confirmed', purpose: 'operations', attempts: 1 }]);
});

it('one endpoint that serves another chain from one moment on: nothing moves until it is back', async () => {
  const before = await gateway.countRows();
  expect((await gateway.signAndSend(await gateway.claimerMessage(`0x${'c2'.repeat(20)}`), gateway.chain.operators[0]!)).status).toBe(200);
  await expect.poll(async () => (await gateway.rowsOf(gateway.chain.operators[0]!))[before]?.state, { timeout: 20_000 }).toBe('sent');
  endpoint.to(other.url);
  await expect.poll(laneReason, { timeout: 20_000 }).toMatch(/serves chain 4242, but chain 31337 is configured/);
  endpoint.to(gateway.chain.url);
  await gateway.ended();
  const { rows } = await gateway.database.query(`select b.state, count(*)::int as batches from gateway_batches b group by 1`);
  expect(rows).toEqual([{ state: 'confirmed', batches: 2 }]);
});

it('doctor names each endpoint that serves another chain, also one that is used only if others fail', async () => {
  const found = await gateway.parts.checks.find(({ name }) => name === 'gateway chain')?.run();
  expect(found).toMatchObject([{ status: 'fault', code: 'chain-differs', detail: `${new URL(other.url).host} serves chain 4242, but VOUCH_CHAIN_ID is 31337` }]);
});
