import type { Finding } from '@vouch/platform/product/product';
import { afterEach, expect, it } from 'vitest';
import { GatewayTestServer, type GatewayTestOptions } from '../intake/gatewayTestServer.ts';

let server: GatewayTestServer;
afterEach(() => server.close());

async function findings(check: string, options: GatewayTestOptions): Promise<Finding[]> {
  server = await GatewayTestServer.start({ operators: 1, ...options });
  return (await server.parts.checks.find(({ name }) => name === check)?.run()) ?? [];
}

it.each<[string, GatewayTestOptions, string, string]>([
  ['another chain id', { settings: { chain_id: 1 } }, 'gateway chain', 'serves chain 31337, and VOUCH_CHAIN_ID is 1'],
  ['an address without a contract', { settings: { contract_address: `0x${'12'.repeat(20)}` } }, 'gateway contract', 'there is no contract at'],
  ['another domain', { settings: { domain_version: '2' } }, 'gateway domain', 'ProtocolService 2 on chain 31337 gives'],
  ['an endpoint that is not there', { rpcUrl: 'http://127.0.0.1:9' }, 'gateway RPC', '127.0.0.1:9'],
  ['a key without ether', { settings: { relayer_keys: ['77'.repeat(32)] } }, 'gateway relayer', 'has 0 ether'],
  ['half of the settings', { rpcUrl: null, settings: { chain_id: 31_337 } }, 'gateway', 'VOUCH_CHAIN_RPC_URL, VOUCH_CONTRACT_ADDRESS'],
])('doctor names %s and says the mend', async (_what, options, check, words) => {
  const found = (await findings(check, options)).find(({ status }) => status === 'fault');
  expect(found?.detail).toContain(words);
  expect(found?.remedy).toBeTruthy();
});

it('doctor says of the queue what it can where chain or keys are wrong, which has a line of its own', async () => {
  expect(await findings('gateway queue', { settings: { relayer_keystores: ['nowhere.json'] } })).toEqual([{ status: 'ok', detail: 'every accepted message has ended' }]);
  await server.close();
  const [finding, ...others] = await findings('gateway queue', { settings: { chain_id: 1 } });
  expect([finding?.status, finding?.detail, others]).toEqual(['warning', 'not examined: the gateway does not take the chain for the one that its settings name', []]);
});

it('doctor asks an endpoint that is not there once, and says how a local chain comes back', async () => {
  const [finding] = await findings('gateway RPC', { rpcUrl: 'http://127.0.0.1:9' });
  expect(finding).toMatchObject({ status: 'fault', remedy: expect.stringContaining('Start the local chain again') as string });
  for (const name of ['gateway chain', 'gateway contract', 'gateway domain', 'gateway clock', 'gateway queue']) {
    expect(await server.parts.checks.find((check) => check.name === name)?.run(), name).toEqual([]);
  }
});

it('doctor says that no chain is configured, without a fault', async () => {
  expect(await findings('gateway', { rpcUrl: null })).toEqual([{ status: 'ok', detail: expect.stringContaining('no chain is configured') as string }]);
});

it('doctor warns of a block that is far from the clock', async () => {
  await findings('gateway', {});
  await server.chain.increaseTime(3_600);
  const [finding] = (await server.parts.checks.find(({ name }) => name === 'gateway clock')?.run()) ?? [];
  expect(finding).toMatchObject({ status: 'warning', remedy: expect.stringContaining('NTP') as string });
  expect(finding?.detail).toMatch(/^the newest block is 3\d{3} s ahead of this machine's clock$/);
});
