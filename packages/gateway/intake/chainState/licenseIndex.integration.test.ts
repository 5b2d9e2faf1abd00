import { licenseAbi } from '@vouch/chain/contracts/abi/license';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { revertingServiceBytecode } from '@vouch/chain/contracts/bytecode/revertingService';
import { sendTransactions } from '@vouch/chain/contracts/sendTransactions';
import { testAccount, type TestAccount } from '@vouch/chain/testing/testChain';
import { startTestDeployment, type DeployedTestChain } from '@vouch/chain/testing/testDeployment';
import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { encodeFunctionData } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { ChainReader } from './chainReader.ts';
import { LicenseIndex } from './licenseIndex.ts';

let chain: DeployedTestChain;
afterEach(() => {
  empty = false;
  return chain.stop();
});
let ahead = 0;
const system = { ...systemInterfaces, elapsedMs: () => systemInterfaces.elapsedMs() + ahead };
/** Number of requests by RPC method. */
let asked: Record<string, number>;
/** If true, the endpoint answers calls as if the contract did not exist. */
let empty = false;

/** Opens an index over a new chain; the two operators hold licenses 1 to 3 and 4 to 6. */
async function open(options: { reverting?: boolean; contract?: (chain: DeployedTestChain) => Hex; refuse?: string } = {}): Promise<LicenseIndex> {
  chain = await startTestDeployment({ operators: 2, licenses: 3, ...(options.reverting === true ? { serviceBytecode: revertingServiceBytecode } : {}) });
  asked = {};
  const note = (method: string): void => {
    asked[method] = (asked[method] ?? 0) + 1;
    if (method === options.refuse) throw new Error(`${method} is not offered`);
  };
  const rpc: RpcClient = {
    ...chain.rpc,
    ask: async (method, ...rest) => { note(method); return chain.rpc.ask(method, ...rest); },
    batch: async (calls, signal) => {
      for (const { method } of calls) note(method);
      const outcomes = await chain.rpc.batch(calls, signal);
      return outcomes.map((outcome, at) => (empty && calls[at]?.method === 'eth_call' ? { ok: true, result: '0x' } : outcome));
    },
  };
  const reader = new ChainReader(rpc, system, createLogger('silent'));
  return new LicenseIndex(reader, rpc, options.contract?.(chain) ?? chain.contracts.service, system);
}

const inOrder = async (licenses: readonly number[]): Promise<readonly number[]> => licenses.toSorted((left, right) => left - right);

async function send(account: TestAccount, to: Hex, data: Hex): Promise<void> {
  await sendTransactions(chain.rpc, [{ to, data, gas: 900_000n }], { key: account.privateKey });
  ahead += 600;
}

const delegate = (holder: TestAccount, license: bigint, node: Hex): Promise<void> =>
  send(holder, chain.contracts.service, encodeFunctionData({ abi: verifierServiceAbi, functionName: 'delegate', args: [license, node] }));

const stranger = testAccount(77).address;

describe.each([['ours', false], ['reverting', true]] as const)('the licenses of a node at %s', (_name, reverting) => {
  it('are found by holder and by delegation, and follow what moves without another sweep', async () => {
    const index = await open({ reverting });
    const [one, other] = chain.operators as [TestAccount, TestAccount];
    expect(await index.find(one.address, inOrder)).toBe('1');
    expect(await index.find(other.address, inOrder)).toBe('4');
    const swept = asked['eth_call']!;
    await delegate(one, 1n, stranger);
    expect(await index.find(stranger, inOrder)).toBe('1');
    expect(await index.find(one.address, inOrder)).toBe('2');
    await send(one, chain.contracts.license, encodeFunctionData({ abi: licenseAbi, functionName: 'transferFrom', args: [one.address, testAccount(78).address, 3n] }));
    expect(await index.find(testAccount(78).address, inOrder)).toBe('3');
    // The caller's order decides: license 5 is ranked before license 4.
    await delegate(one, 2n, other.address);
    expect(await index.find(other.address, async (known) => [5, ...known])).toBe('5');
    expect(asked['eth_call']! - swept).toBeLessThan(100);
  });
});

it('what events do not tell is found by another sweep', async () => {
  const index = await open({ refuse: 'eth_getLogs' });
  const [one] = chain.operators as [TestAccount];
  expect(await index.find(one.address, inOrder)).toBe('1');
  await delegate(one, 1n, stranger);
  await expect(index.find(stranger, inOrder)).rejects.toMatchObject({ code: 'chain-unavailable' });
  ahead += 3_600_000;
  expect(await index.find(stranger, inOrder)).toBe('1');
});

it('a delegation that a reorganization undid is undone here, too', async () => {
  const index = await open();
  const [one] = chain.operators as [TestAccount];
  expect(await index.find(one.address, inOrder)).toBe('1');
  const snapshot = await chain.rpc.request<string>('evm_snapshot', []);
  for (const license of [1n, 2n, 3n]) await delegate(one, license, stranger);
  expect(await index.find(stranger, inOrder)).toBe('1');
  await chain.rpc.request('evm_revert', [snapshot]);
  await chain.mine();
  ahead += 3_600_000;
  expect(await index.find(one.address, inOrder)).toBe('1');
  // The cached license is read again before use.
  ahead += 3_600_000;
  expect(await index.find(stranger, inOrder)).toBe('unknown');
});

it('a node whose license nobody finds is told apart from a contract that names none', async () => {
  const index = await open();
  expect(await index.find(stranger, inOrder)).toBe('unknown');
  await chain.stop();
  const silent = await open({ contract: ({ contracts }) => contracts.license });
  expect(await silent.find(stranger, inOrder)).toBeNull();
});

it('an endpoint that is behind the contract ends no budgets of licenses: it is asked again, and not believed where the contract told before', async () => {
  const index = await open();
  const [one] = chain.operators as [TestAccount];
  empty = true;
  expect(await index.find(one.address, inOrder)).toBeNull();
  empty = false;
  await chain.mine();
  ahead += 3_600_000;
  expect(await index.find(one.address, inOrder)).toBe('1');
  empty = true;
  await chain.mine();
  ahead += 3_600_000;
  await expect(index.find(stranger, inOrder)).rejects.toMatchObject({ code: 'chain-unavailable' });
});
