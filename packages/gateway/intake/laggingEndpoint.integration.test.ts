import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { expect, onTestFinished, test } from 'vitest';
import { GatewayTestServer } from '../testing/gatewayTestServer.ts';
import { startEndpoint } from '../testing/testEndpoint.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

test('a message that changes nothing only for an endpoint that lags behind a change by the gateway is carried out', async () => {
  const endpoint = await startEndpoint();
  onTestFinished(() => endpoint.close());
  const server = await GatewayTestServer.start({ operators: 1, rpcUrl: endpoint.url });
  onTestFinished(() => server.close());
  const { chain: { operators: [account], rpc, mine, url }, database } = server;
  endpoint.to(url);
  await server.enter(account!);
  await mine(5);
  const before = await rpc.ask('eth_blockNumber', [], Number);
  server.startSending();
  const states = (): Promise<{ state: string; reason_code: string | null }[]> =>
    database.query<{ state: string; reason_code: string | null }>('select state, reason_code from gateway_requests order by sequence').then(({ rows }) => rows);
  await server.signAndSend(await server.claimerMessage(`0x${'c7'.repeat(20)}`), account!);
  await server.ended();
  expect(await states()).toEqual([{ state: 'confirmed', reason_code: null }]);
  endpoint.newest = before;
  server.moveClock(2);
  const back = await server.signAndSend(await server.claimerMessage(zeroAddress), account!);
  expect([back.status, back.body.data?.status]).toEqual([200, 'verified']);
  endpoint.newest = null;
  await server.ended();
  expect(await states()).toEqual([{ state: 'confirmed', reason_code: null }, { state: 'confirmed', reason_code: null }]);
});
