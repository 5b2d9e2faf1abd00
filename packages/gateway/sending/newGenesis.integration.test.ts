import { getNonce } from '@vouch/chain/rpc/chainReads';
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
  // Another number of operators is another saved state, whose blocks all differ.
  [endpoint, other] = await Promise.all([startEndpoint(), startTestDeployment({ operators: 2, automine: false })]);
  gateway = await GatewayTestServer.start({ operators: 1, automine: false, rpcUrl: endpoint.url, patience: 1, settings: { batch_window_ms: 0 } });
  endpoint.to(gateway.chain.url);
});
afterAll(async () => {
  await gateway?.close();
  endpoint?.close();
  await other?.stop();
});

const send = async (claimer: string) => gateway.signAndSend(await gateway.claimerMessage(`0x${claimer.repeat(20)}`), gateway.chain.operators[0]!);
const states = async () => (await gateway.rowsOf(gateway.chain.operators[0]!)).map(({ state }) => state);
const reason = async () => (await gateway.database.query<{ reason: string | null }>('select reason from gateway_lines')).rows[0]?.reason ?? '';

it('another chain with the same id, contract and domain: its blocks confirm nothing, it gets no transaction, and both are said at once', async () => {
  const { contracts, relayer } = gateway.chain;
  expect([other.chainId, other.contracts.service]).toEqual([gateway.chain.chainId, contracts.service]);
  gateway.startSending();
  expect((await send('c1')).status).toBe(200);
  await expect.poll(states).toEqual(['sent']);
  endpoint.to(other.url);
  // A head far above the known blocks, and the transaction that the gateway offers.
  await other.mine(400);
  await expect.poll(reason).toMatch(/The chain was reset: its first block differs/);
  const refused = await send('c2');
  expect([refused.status, refused.body.reason, refused.body.error]).toEqual([503, 'chain-unavailable', expect.stringContaining('Restart the gateway')]);
  for (let blocks = 0; blocks < 6; blocks += 1) {
    await other.mine();
    await systemInterfaces.timers.sleep(500);
  }
  expect(await states()).toEqual(['sent']);
  expect(await getNonce(other.rpc, relayer.address, 'pending')).toBe(0);
  const info = await gateway.send<{ relayers: object[] }>('GET', '/gateway/info');
  expect(info.body.relayers).toMatchObject([{ status: 'paused', pause_code: 'chain' }]);
});

it('when the first chain is back, the message is confirmed there, with its first transaction', async () => {
  endpoint.to(gateway.chain.url);
  await expect.poll(async () => (await send('c2')).status).toBe(200);
  await gateway.ended();
  expect(await states()).toEqual(['confirmed', 'confirmed']);
  const { rows } = await gateway.database.query(`select b.state, count(*)::int as attempts from gateway_batches b join gateway_attempts using (batch_id) group by b.state`);
  expect(rows).toEqual([{ state: 'confirmed', attempts: 2 }]);
});
