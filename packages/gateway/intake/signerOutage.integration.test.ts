import { testAccount } from '@vouch/chain/testing/testChain';
import { freePort, type Service } from '@vouch/chain/testing/signers/startService';
import { startWeb3signer } from '@vouch/chain/testing/signers/startWeb3signer';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { GatewayTestServer } from '../testing/gatewayTestServer.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let server: GatewayTestServer;
let service: Service | undefined;
afterEach(async () => {
  await server.close();
  await service?.close();
});

interface Relayer {
  address: string;
  status: string;
  pause_code: string | null;
}

async function relayers(): Promise<Relayer[]> {
  return (await server.send<{ relayers: Relayer[] }>('GET', '/gateway/info')).body.relayers;
}

exhaustiveTest('a served gateway whose signing service goes away says so to everybody, and goes on by itself', async () => {
  const account = testAccount(77);
  let away = true;
  service = await startWeb3signer({
    key: account.privateKey,
    answer: ({ method }) => (away && method === 'eth_signTransaction' ? { status: 503, body: 'the secret words of the service' } : undefined),
  });
  server = await GatewayTestServer.start({ operators: 1, settings: { relayer_keys: [`web3signer:${service.url}#${account.address}`] } });
  await server.chain.setBalance(account.address, 10n ** 20n);
  server.startSending();
  const { body } = await server.signAndSend({ kind: 'enter', replaced_node: `0x${'00'.repeat(20)}`, expired_at: (await server.now()) + 3_600 }, server.chain.operators[0]!);
  while ((await relayers())[0]?.pause_code !== 'signer-unavailable') await systemInterfaces.timers.sleep(30);
  const [relayer] = await relayers();
  expect(relayer).toMatchObject({ status: 'paused' });
  expect(relayer?.address.toLowerCase()).toBe(account.address.toLowerCase());
  const metric = `vouch_gateway_paused{relayer="${account.address.toLowerCase()}",code="signer-unavailable"} 1`;
  expect(await server.metrics.metrics()).toContain(metric);
  const record = await server.send<{ waits_for: string | null }>('GET', `/gateway/requests/${body.data!.request_id}`);
  expect(record.body.waits_for).toBe('The gateway cannot sign transactions at the moment. The message waits until the gateway can sign again.');
  away = false;
  await server.ended();
  while ((await relayers())[0]?.pause_code !== null) await systemInterfaces.timers.sleep(30);
});

it('doctor names a key whose service is away, one that the service does not hold, and one that signs', async () => {
  const account = testAccount(78);
  service = await startWeb3signer({ key: account.privateKey });
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const [held, missing] = [account.address, testAccount(79).address];
  const keys = [`web3signer:${service.url}#${held}`, `web3signer:${service.url}#${missing}`, `web3signer:${nowhere}#${held}`];
  server = await GatewayTestServer.start({ operators: 1, settings: { relayer_keys: keys } });
  await server.chain.setBalance(held, 10n ** 18n);
  const findings = (await server.parts.checks.find(({ name }) => name === 'gateway relayer')?.run()) ?? [];
  expect(findings.map(({ status }) => status)).toEqual(['ok', 'fault', 'fault']);
  expect(findings[0]?.detail).toMatch(/ signs \(web3signer at 127\.0\.0\.1:\d+\), has 1 ether, nonce 0$/);
  expect(findings[1]?.detail).toContain('does not have the key of');
  expect(findings[2]?.detail).toContain('refuses connections');
  for (const finding of findings.slice(1)) expect(finding).toMatchObject({ code: 'relayer-unusable', remedy: expect.stringContaining('Relayer keys') as string });
});
