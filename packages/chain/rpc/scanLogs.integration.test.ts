import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { encodeFunctionData, getAbiItem, toEventSelector } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { licenseAbi } from '../contracts/abi/license.ts';
import { sendTransactions } from '../contracts/sendTransactions.ts';
import { startTestDeployment, type DeployedTestChain } from '../testing/testDeployment.ts';
import { BlockRange } from './blockRange.ts';
import { getBlock, getChainId, getReceipt } from './chainReads.ts';
import { createRpcClient } from './createRpcClient.ts';
import { answering, startMisbehavingServer, type Behaviour } from '../testing/misbehavingServer.ts';
import { parseInteger } from './parseResult.ts';
import type { RpcClient } from './rpcClient.ts';
import { RpcRefused, RpcUnavailable } from './rpcErrors.ts';
import { scanLogs, type ScannedBlocks } from './scanLogs.ts';

let chain: DeployedTestChain;
const closers: (() => Promise<unknown>)[] = [];
const transfer = toEventSelector(getAbiItem({ abi: licenseAbi, name: 'Transfer' }));
/** Number of blocks that each mint one license. */
const minted = 9;
let head: number;

beforeAll(async () => {
  chain = await startTestDeployment({ operators: 1, licenses: 0 });
  const { rpc, contracts, deployer, operators } = chain;
  for (let count = 0; count < minted; count += 1) {
    const data = encodeFunctionData({ abi: licenseAbi, functionName: 'mint', args: [operators[0]!.address, 1n] });
    await sendTransactions(rpc, [{ to: contracts.license, data, gas: 400_000n }], { key: deployer.privateKey });
    await chain.mine(2);
  }
  head = (await getBlock(rpc, 'latest'))!.number;
});
afterAll(() => chain?.stop());
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function serve(behave: Behaviour): Promise<string> {
  const server = await startMisbehavingServer(behave);
  closers.push(() => server.close());
  return server.url;
}

function client(...urls: string[]): RpcClient {
  const rpc = createRpcClient({ urls, timeoutMs: 60_000, answerBytesMax: 100_000 }, systemInterfaces);
  closers.push(() => rpc.close());
  return rpc;
}

/** Forwards calls to the real chain unless `refuse` returns an error for them. */
function passingOn(refuse: (blocks: number) => object | null): Behaviour {
  return (response, { body }) => {
    const { id, method, params } = body as { id: number; method: string; params: [{ fromBlock: string; toBlock: string }] };
    const blocks = Number(params[0].toBlock) - Number(params[0].fromBlock) + 1;
    const refusal = refuse(blocks);
    if (refusal !== null) return void response.end(JSON.stringify({ jsonrpc: '2.0', id, ...refusal }));
    void fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) })
      .then(async (answer) => response.end(await answer.text()));
  };
}

async function collect(rpc: RpcClient, blocksMax: number): Promise<ScannedBlocks[]> {
  const scanned: ScannedBlocks[] = [];
  for await (const blocks of scanLogs(rpc, { address: chain.contracts.license, topics: [transfer], fromBlock: 0, toBlock: head, range: new BlockRange(blocksMax) })) scanned.push(blocks);
  return scanned;
}

/** Checks that the ranges are complete, in order and without overlap. */
function expectWhole(scanned: readonly ScannedBlocks[]): void {
  expect(scanned[0]!.fromBlock).toBe(0);
  expect(scanned.at(-1)!.toBlock).toBe(head);
  for (const [place, { fromBlock }] of scanned.slice(1).entries()) expect(fromBlock).toBe(scanned[place]!.toBlock + 1);
  const logs = scanned.flatMap((each) => each.logs);
  expect(logs.length).toBe(minted);
  expect(new Set(logs.map(({ transactionHash }) => transactionHash)).size).toBe(minted);
}

describe('a scan of logs', () => {
  it.each([1, 3, 1_000])('sees every log once and in order, %i blocks at a time', async (blocksMax) => {
    expectWhole(await collect(chain.rpc, blocksMax));
  });

  it.each<[string, object]>([
    ['a code of its own', { error: { code: -32_005, message: 'query returned more than 10000 results' } }],
    ['invalid parameters', { error: { code: -32_602, message: 'block range is too wide' } }],
    ['an internal error', { error: { code: -32_603, message: 'response size exceeded' } }],
    ['an answer that is too long', { result: ['x'.repeat(200_000)] }],
  ])('asks for half where the endpoint refuses more than 4 blocks with %s', async (_name, refusal) => {
    const rpc = client(await serve(passingOn((blocks) => (blocks > 4 ? refusal : null))));
    const scanned = await collect(rpc, 64);
    expectWhole(scanned);
    expect(Math.max(...scanned.map(({ fromBlock, toBlock }) => toBlock - fromBlock + 1))).toBeLessThanOrEqual(4);
  });

  it('takes longer ranges again after a while', async () => {
    let refusals = 0;
    const rpc = client(await serve(passingOn(() => ((refusals += 1) <= 3 ? { error: { code: -32_005, message: 'busy' } } : null))));
    const scanned = await collect(rpc, 8);
    expectWhole(scanned);
    expect(scanned[0]!.toBlock).toBe(0);
    expect(scanned.some(({ fromBlock, toBlock }) => toBlock - fromBlock + 1 === 8)).toBe(true);
  });

  it('fails where a single block is refused, and where nobody answers', async () => {
    const refusing = client(await serve(passingOn(() => ({ error: { code: -32_000, message: 'no' } }))));
    await expect(collect(refusing, 4)).rejects.toBeInstanceOf(RpcRefused);
    await expect(collect(client('http://127.0.0.1:1'), 4)).rejects.toBeInstanceOf(RpcUnavailable);
  });

  it('believes no endpoint that sends logs which were not asked for', async () => {
    const lie = (await chain.rpc.request<object[]>('eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', address: chain.contracts.license }]));
    const lying = await serve(answering(() => ({ result: lie })));
    expectWhole(await collect(client(lying, chain.url), 5));
    await expect(collect(client(lying), 5)).rejects.toThrow(/was not requested/);
  });

  it('ends when it is told to', async () => {
    const controller = new AbortController();
    const scan = scanLogs(chain.rpc, { address: chain.contracts.license, fromBlock: 0, toBlock: head, range: new BlockRange(1), signal: controller.signal });
    await scan.next();
    controller.abort(new Error('enough'));
    await expect(scan.next()).rejects.toThrow('enough');
  });
});

describe('an anvil', () => {
  it('answers single calls and batches', async () => {
    expect(await getChainId(chain.rpc)).toBe(31_337n);
    const outcomes = await chain.rpc.batch([
      { method: 'eth_blockNumber', params: [] }, { method: 'eth_nothing', params: [] },
      { method: 'eth_call', params: [{ to: chain.contracts.service, data: '0x73df96ed' }, 'latest'] }, { method: 'eth_chainId', params: [] },
    ]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, false, true]);
    expect(parseInteger(outcomes[0]!.ok && outcomes[0]!.result)).toBe(head);
  });

  it('gives null for what is not there', async () => {
    expect(await getBlock(chain.rpc, head + 1_000)).toBeNull();
    expect(await getBlock(chain.rpc, `0x${'ab'.repeat(32)}`)).toBeNull();
    expect(await getReceipt(chain.rpc, `0x${'ab'.repeat(32)}`)).toBeNull();
  });

  it('says in its refusal why a call reverts', async () => {
    const data = encodeFunctionData({ abi: licenseAbi, functionName: 'mint', args: [chain.relayer.address, 1n] });
    const error = await chain.rpc.request('eth_call', [{ to: chain.contracts.license, data, from: chain.relayer.address }, 'latest']).then(() => null, (fault: unknown) => fault);
    expect(error).toBeInstanceOf(RpcRefused);
    expect(error).toMatchObject({ code: 3, data: expect.stringMatching(/^0x[0-9a-f]{8}/) as string });
  });
});
