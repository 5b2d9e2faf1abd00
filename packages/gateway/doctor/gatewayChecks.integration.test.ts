import { revertingServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingService';
import type { Finding } from '@vouch/platform/product/findings';
import { afterEach, expect, it } from 'vitest';
import { GatewayTestServer, testSettings, type GatewayTestOptions } from '../testing/gatewayTestServer.ts';
import { shareDatabases } from '../testing/sharedDatabase.ts';

shareDatabases();

let server: GatewayTestServer;
afterEach(() => server.close());

async function findings(check: string, options: GatewayTestOptions): Promise<Finding[]> {
  server = await GatewayTestServer.start({ operators: 1, ...options });
  return (await server.parts.checks.find(({ name }) => name === check)?.run()) ?? [];
}

it.each<[string, GatewayTestOptions, string, string, string]>([
  ['another chain id', { settings: { chain_id: 1 } }, 'gateway chain', 'chain-differs', 'serves chain 31337, but VOUCH_CHAIN_ID is 1'],
  ['an address without a contract', { settings: { contract_address: `0x${'12'.repeat(20)}` } }, 'gateway contract', 'contract-missing', 'there is no contract at'],
  ['an address without Multicall3', { serviceBytecode: revertingServiceBytecode, settings: { multicall_address: `0x${'12'.repeat(20)}` } }, 'gateway contract', 'multicall-missing', 'there is no contract at 0x1212'],
  ['another domain', { settings: { domain_version: '2' } }, 'gateway domain', 'domain-differs', 'ProtocolService 2 on chain 31337 results in'],
  ['an endpoint that is not there', { rpcUrl: 'http://127.0.0.1:9' }, 'gateway RPC', 'rpc-unavailable', '127.0.0.1:9'],
  ['a key without ether', { settings: { relayer_keys: ['77'.repeat(32)] } }, 'gateway relayer', 'balance-low', 'has 0 ether'],
  ['half of the settings', { rpcUrl: null, settings: { chain_id: 31_337 } }, 'gateway', 'chain-settings-missing', 'VOUCH_CHAIN_RPC_URL, VOUCH_CONTRACT_ADDRESS'],
])('doctor names %s and suggests a fix', async (_what, options, check, code, words) => {
  const found = (await findings(check, options)).find(({ status }) => status === 'fault');
  expect(found?.detail).toContain(words);
  expect(found).toMatchObject({ code, remedy: expect.stringMatching(/\w/) as string });
});

it('doctor says of the queue what it can where chain or keys are wrong, which has a line of its own', async () => {
  expect(await findings('gateway queue', { settings: { relayer_keystores: ['nowhere.json'] } })).toEqual([{ status: 'ok', detail: 'every accepted message has ended' }]);
  await server.close();
  const [finding, ...others] = await findings('gateway queue', { settings: { chain_id: 1 } });
  expect([finding?.status, finding?.detail, others]).toEqual(['warning', 'not checked: the chain does not match the settings of the gateway', []]);
});

it('doctor asks an endpoint that is not there once, and says how a local chain comes back', async () => {
  const [finding] = await findings('gateway RPC', { rpcUrl: 'http://127.0.0.1:9' });
  expect(finding).toMatchObject({ status: 'fault', remedy: expect.stringContaining('If the local chain does not restart by itself') as string });
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

it('doctor checks each deployment under its name, and names its settings and what deployments must not share', async () => {
  const key = '77'.repeat(32);
  const second = {
    ...testSettings, chain_rpc_url: ['http://127.0.0.1:9'], chain_id: 31_337, contract_address: `0x${'12'.repeat(20)}`, relayer_keys: [`0x${key}`], keeper: true,
  };
  server = await GatewayTestServer.start({ operators: 1, settings: { relayer_keys: [key], deployments: [{ name: 'second', settings: second }] } });
  const found = new Map(await Promise.all(server.parts.checks.map(async ({ name, run }) => [name, await run()] as const)));
  expect([...found.keys()].filter((name) => found.get(name)?.length !== 0)).toEqual([
    'gateway', 'gateway RPC', 'gateway chain', 'gateway contract', 'gateway domain', 'gateway clock', 'gateway relayer', 'gateway queue', 'gateway keeper', 'gateway budgets',
    'gateway second', 'gateway second RPC', 'gateway second budgets', 'gateway deployments', 'signatures',
  ]);
  expect(found.get('gateway second')).toEqual([{ status: 'ok', detail: 'messages are accepted for chain 31337, a local chain at /deployments/second' }]);
  expect(found.get('gateway second RPC')).toEqual([{ status: 'fault', code: 'rpc-unavailable', detail: expect.stringContaining('127.0.0.1:9') as string, remedy: expect.stringContaining('Check second.chain_rpc_url') as string }]);
  expect(found.get('gateway contract')?.[0]?.status).toBe('ok');
  expect(found.get('gateway deployments')).toEqual([
    { status: 'fault', code: 'key-shared', detail: expect.stringMatching(/^0x\w{40} is a relayer key of default and second on chain 31337/) as string, remedy: expect.stringContaining('its own relayer keys') as string },
    { status: 'warning', code: 'domain-shared', detail: expect.stringContaining('default and second have the same signing domain') as string, remedy: expect.stringContaining('domain versions') as string },
  ]);
});
