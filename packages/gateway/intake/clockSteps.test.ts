import type { RpcCall, RpcClient } from '@vouch/chain/rpc/rpcClient';
import { createLogger } from '@vouch/platform/log/logger';
import type { Connection } from '@vouch/platform/database/database';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { beforeEach, expect, test } from 'vitest';
import { BudgetPolicies } from '../budgets/budgetPolicy.ts';
import type { NewRequest } from '../requests/requestStore.ts';
import { toHex } from '../requests/storedOperation.ts';
import { ChainReader } from './chainState/chainReader.ts';
import { GatewayChain } from './chainState/gatewayChain.ts';
import { LicenseIndex } from './chainState/licenseIndex.ts';
import { SignerQuotas } from './storing/signerQuotas.ts';
import { SpendingLedger } from './storing/spendingLedger.ts';

// Everything that the intake keeps for a while ends after this while, also if the machine's clock is set back meanwhile.

const contract = toHex(Buffer.alloc(20, 1));
const signer = Buffer.alloc(20, 2);
const clock = { ms: 0, now: () => clock.ms };
let passedMs: number;
const system = { ...systemInterfaces, clock, elapsedMs: () => passedMs };

beforeEach(() => {
  clock.ms = 400_000 * 3_600_000 + 1_800_000;
  passedMs = 0;
});

/** Lets time pass while the clock is set back. */
function setBack(afterMs: number, byMs = 86_400_000): void {
  clock.ms += afterMs - byMs;
  passedMs += afterMs;
}

/** A chain that answers every view with empty data, as if the contract did not exist, and fails while it is down. */
function emptyChain(): { rpc: RpcClient; asked: Record<string, number>; chain: { number: number; down: boolean } } {
  const chain = { number: 9, down: false };
  const asked: Record<string, number> = {};
  const answer = ({ method }: RpcCall): unknown => {
    asked[method] = (asked[method] ?? 0) + 1;
    const number = `0x${chain.number.toString(16)}`;
    const hash = `0x${String(chain.number).padStart(64, '0')}`;
    return method === 'eth_getBlockByNumber' ? { number, hash, parentHash: hash, timestamp: '0x64', baseFeePerGas: '0x1', gasLimit: '0x1', gasUsed: '0x0' } : '0x';
  };
  const answerIfUp = (call: RpcCall): unknown => {
    if (chain.down) throw new Error('down');
    return answer(call);
  };
  const rpc = {
    batch: async (calls: readonly RpcCall[]) => calls.map((call) => ({ ok: true as const, result: answerIfUp(call) })),
    ask: async <Result>(method: string, params: readonly unknown[], parse: (result: unknown) => Result) => parse(answerIfUp({ method, params })),
  } as unknown as RpcClient;
  return { rpc, asked, chain };
}

test('the head of the chain is read again', async () => {
  const { rpc, chain } = emptyChain();
  const reader = new ChainReader(rpc, system, createLogger('silent'));
  expect(await reader.head()).toMatchObject({ number: 9, now: 100 });
  chain.number = 10;
  setBack(500);
  expect((await reader.head()).number).toBe(10);
});

test('the time of the chain goes on, and does not jump with the clock', async () => {
  const { rpc } = emptyChain();
  const reader = new ChainReader(rpc, system, createLogger('silent'));
  await reader.head();
  setBack(2_000);
  expect((await reader.head()).now).toBe(102);
  setBack(1_000, -86_400_000);
  expect((await reader.head()).now).toBe(103);
});

test('a failed read of the head is repeated', async () => {
  const { rpc, chain } = emptyChain();
  const reader = new ChainReader(rpc, system, createLogger('silent'));
  chain.down = true;
  await expect(reader.head()).rejects.toMatchObject({ code: 'chain-unavailable' });
  chain.down = false;
  setBack(500);
  expect((await reader.head()).number).toBe(9);
});

test('a lower number replaces the newest block of a chain that was reset', async () => {
  const { rpc, chain } = emptyChain();
  const reader = new ChainReader(rpc, system, createLogger('silent'));
  await reader.head();
  chain.number = 3;
  setBack(60_001);
  await reader.head();
  expect(reader.newestBlock).toBe(3);
});

test('the deployment is verified again', async () => {
  const { rpc } = emptyChain();
  const reader = new ChainReader(rpc, system, createLogger('silent'));
  const chain = new GatewayChain(reader, { chainId: 1n, contract, multicall: contract, domain: '0x', confirmations: 1 }, system);
  const first = chain.deployment();
  setBack(59_999);
  expect(chain.deployment()).toBe(first);
  setBack(1);
  const second = chain.deployment();
  expect(second).not.toBe(first);
  await Promise.allSettled([first, second]);
});

test('a contract that named no licenses is asked again', async () => {
  const { rpc, asked, chain } = emptyChain();
  const index = new LicenseIndex(new ChainReader(rpc, system, createLogger('silent')), rpc, contract, system);
  const find = (): Promise<string | null> => index.find(toHex(signer), async (licenses) => licenses);
  expect(await find()).toBeNull();
  const before = asked['eth_call'];
  chain.number = 10;
  setBack(5_000);
  expect(await find()).toBeNull();
  expect(asked['eth_call']).toBeGreaterThan(before!);
});

test('the messages that other processes accepted are counted again', async () => {
  const counts = ['1', '7'];
  let asked = 0;
  const connection = { query: async () => ({ rows: [{ signer, count: counts[asked++] }] }) } as unknown as Connection;
  const quotas = new SignerQuotas(5, system);
  await quotas.learn(connection, 'one', [signer]);
  setBack(60_000, 300_000);
  await quotas.learn(connection, 'one', [signer]);
  expect(asked).toBe(2);
});

test('budgets are read again', async () => {
  let asked = 0;
  const connection = { query: async () => ({ rows: (asked += 1, []) }) } as unknown as Connection;
  const policies = new BudgetPolicies(connection, system, 'one');
  await policies.current();
  const before = asked;
  // The clock is then half a second after the first read.
  setBack(2_000, 1_500);
  await policies.current();
  expect(asked).toBeGreaterThan(before);
});

test('a refusal ends', async () => {
  const noRows = { query: async () => ({ rows: [] }) } as unknown as Connection;
  const usedUp = { query: async () => ({ rows: [{ scope: 'total', subject: '', kind: 'exit', reserved_gas: '1000000000000', spent_gas: '0' }] }) } as unknown as Connection;
  const ledger = new SpendingLedger(new BudgetPolicies(noRows, system, 'one'), system, () => {});
  const request = { operation: { kind: 'exit', expiredAt: 1n }, signer, unchanged: null } as unknown as NewRequest;
  expect(await (await ledger.begin()).take(usedUp, 'one', [request])).toMatchObject([{ code: 'quota' }]);
  setBack(1_999);
  expect(() => ledger.check(toHex(signer), 'exit')).toThrow();
  setBack(1);
  ledger.check(toHex(signer), 'exit');
});
