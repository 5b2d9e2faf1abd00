import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { encodeFunctionData } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';
import { licenseAbi } from '../contracts/abi/license.ts';
import { sendTransactions } from '../contracts/sendTransactions.ts';
import type { Hex } from '../messages/operation.ts';
import { ethCall, getBalance, getBlock, getCode, getReceipt } from '../rpc/chainReads.ts';
import { createRpcClient } from '../rpc/createRpcClient.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';
import type { DevnetFacts } from './devnetFile.ts';
import { startDevnet, type Devnet } from './startDevnet.ts';

let folder: string;
let rpc: RpcClient;
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-devnet-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  await rm(folder, { recursive: true, force: true });
});

async function start(operators = 2, log = createLogger('silent')): Promise<Devnet> {
  const devnet = await startDevnet({ folder, operators, gatewayUrl: 'http://127.0.0.1:8080', log, system: systemInterfaces });
  closers.push(() => devnet.stop());
  connect(devnet.facts.rpcUrl);
  return devnet;
}

function connect(url: string): void {
  rpc = createRpcClient({ urls: [url] }, systemInterfaces);
  const { close } = rpc;
  closers.push(() => close());
}

async function licensesOf({ contracts, operators }: DevnetFacts): Promise<bigint[]> {
  return Promise.all(operators.map(async ({ address }) => {
    const data = encodeFunctionData({ abi: licenseAbi, functionName: 'balanceOf', args: [address] });
    return BigInt(await ethCall(rpc, { to: contracts.license, data }));
  }));
}

/** Sends a plain transfer. @returns its hash */
async function pay(relayer: { privateKey: Hex }, operators: readonly { address: Hex }[]): Promise<Hex> {
  const [receipt] = await sendTransactions(rpc, [{ to: operators[0]!.address, data: '0x', gas: 21_000n }], { key: relayer.privateKey });
  return receipt!.transactionHash;
}

/** Returns the process ids of anvil processes for this test's folder. */
function anvilProcesses(): number[] {
  return execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n')
    .filter((line) => /anvil --host/.test(line) && line.includes(folder) && !line.includes('/bin/sh')).map((line) => Number.parseInt(line.trim(), 10));
}

const answers = (): Promise<boolean> => getBlock(rpc, 'latest').then(() => true, () => false);

async function confirmed(hash: Hex): Promise<void> {
  const receipt = await getReceipt(rpc, hash);
  for (;;) {
    const head = await getBlock(rpc, 'latest');
    if (head!.number > receipt!.blockNumber) return;
    await systemInterfaces.timers.sleep(50);
  }
}

describe('a local chain', () => {
  it('has the contracts, a relayer with balance, and a license at each operator', async () => {
    const { facts, made } = await start(3);
    expect(made).toBe('new');
    for (const address of Object.values(facts.contracts)) expect((await getCode(rpc, address)).length).toBeGreaterThan(100);
    expect(await licensesOf(facts)).toEqual([1n, 1n, 1n]);
    expect(await getBalance(rpc, facts.relayer.address)).toBeGreaterThan(10n ** 21n);
  });

  it('says what is on it in devnet.json and verifier.yaml, for this user alone', async () => {
    const { facts, devnetFile, nodeFile } = await start();
    for (const file of [devnetFile, nodeFile, join(folder, 'devnet', 'state.json')]) expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(devnetFile, 'utf8'))).toMatchObject({
      rpc_url: facts.rpcUrl,
      chain_id: 31_337,
      contracts: { service: facts.contracts.service, license: facts.contracts.license, multicall3: facts.contracts.multicall3 },
      relayer: { address: facts.relayer.address, private_key: facts.relayer.privateKey },
      operators: facts.operators.map(({ address, privateKey }) => ({ address, private_key: privateKey })),
      domain: { name: 'ProtocolService', version: '1.0.0' },
    });
    const yaml = await readFile(nodeFile, 'utf8');
    expect(yaml).toContain(`private_key: "${facts.operators[0]!.privateKey}"`);
    expect(yaml).toContain('topic1: "0x89a3b784b99180438f3b2027aa89e97c3c3ed66e8dc78a555d7013b39caf1a89"');
    expect(yaml).toContain('topic2: "0x455929120054502ca2ea8194b26e7bb3acb631d30177f6881ffa70581abd4a13"');
  });

  exhaustiveTest('is the same after a stop, with what happened on it, at the same address', async () => {
    const first = await start();
    const hash = await pay(first.facts.relayer, first.facts.operators);
    await first.stop();
    const second = await start();
    expect(second.made).toBe('kept');
    expect(second.facts).toEqual(first.facts);
    expect((await getReceipt(rpc, hash))?.succeeded).toBe(true);
    expect((await getBlock(rpc, 0))!.hash).toBe(first.facts.genesis.hash);
    const again = await pay(second.facts.relayer, second.facts.operators);
    const [before, after] = [await getReceipt(rpc, hash), await getReceipt(rpc, again)];
    const [older, newer] = [await getBlock(rpc, before!.blockHash), await getBlock(rpc, after!.blockHash)];
    expect(newer!.timestamp).toBeGreaterThanOrEqual(older!.timestamp);
  });

  exhaustiveTest('is the same after many restarts, and has the time of the machine each time', async () => {
    const { facts, stop } = await start();
    await stop();
    for (let restarts = 0; restarts < 5; restarts += 1) {
      const again = await start();
      expect(again).toMatchObject({ made: 'kept', facts: { genesis: facts.genesis } });
      const before = Date.now() / 1_000;
      await rpc.request('evm_mine');
      const { timestamp } = (await getBlock(rpc, 'latest'))!;
      // Clock and blocks have a resolution of one second, and a busy machine adds a delay between the two readings.
      expect(timestamp).toBeGreaterThan(before - 4);
      expect(timestamp).toBeLessThan(Date.now() / 1_000 + 4);
      await again.stop();
    }
  });

  exhaustiveTest('keeps what had a confirmation when everything is killed at once', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('../testing/devnet.program.ts', import.meta.url)), folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    closers.push(async () => void child.kill('SIGKILL'));
    const [line] = await new Promise<string[]>((resolve) => createInterface(child.stdout).once('line', (text: string) => resolve([text])));
    const started = JSON.parse(line!) as { rpcUrl: string };
    connect(started.rpcUrl);
    const file = JSON.parse(await readFile(join(folder, 'devnet.json'), 'utf8')) as { relayer: { private_key: Hex }; operators: { address: Hex }[] };
    const hash = await pay({ privateKey: file.relayer.private_key }, file.operators);
    await confirmed(hash);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const second = await start();
    expect(second.made).toBe('kept');
    expect((await getReceipt(rpc, hash))?.succeeded).toBe(true);
  });

  it.each(sampleOf(['SIGKILL', 'SIGINT'] as const, 1))('goes on by itself at the same address when its process ends by %s', async (signal) => {
    const heard: string[] = [];
    const { facts, stop } = await start(2, createLogger('warn', { write: (line) => void heard.push(line) }));
    const hash = await pay(facts.relayer, facts.operators);
    await confirmed(hash);
    const before = (await getReceipt(rpc, hash))!;
    const [ended] = anvilProcesses();
    process.kill(ended!, signal);
    while (anvilProcesses().every((each) => each === ended) || !(await answers())) await systemInterfaces.timers.sleep(50);
    expect(anvilProcesses()).toHaveLength(1);
    expect(anvilProcesses()).not.toContain(ended);
    expect(await getReceipt(rpc, hash)).toEqual(before);
    expect((await getBlock(rpc, 0))!.hash).toBe(facts.genesis.hash);
    expect((await getBlock(rpc, 'latest'))!.number).toBeGreaterThanOrEqual(before.blockNumber);
    for (const address of Object.values(facts.contracts)) expect((await getCode(rpc, address)).length).toBeGreaterThan(100);
    expect(heard.join('')).toContain('the local chain has ended; restarting it from the saved state');
    const again = await pay(facts.relayer, facts.operators);
    await stop();
    expect(await start()).toMatchObject({ made: 'kept', facts });
    for (const each of [hash, again]) expect((await getReceipt(rpc, each))?.succeeded).toBe(true);
  });

  it('is not started again by a stop that comes while it is down', async () => {
    const { stop, ended } = await start();
    process.kill(anvilProcesses()[0]!, 'SIGKILL');
    while (anvilProcesses().length > 0) await systemInterfaces.timers.sleep(10);
    await stop();
    await ended;
    expect(anvilProcesses()).toEqual([]);
  });

  it('gets further operators when more are asked for', async () => {
    const first = await start(1);
    await first.stop();
    const second = await start(3);
    expect(second.facts.operators[0]).toEqual(first.facts.operators[0]);
    expect(await licensesOf(second.facts)).toEqual([1n, 1n, 1n]);
  });

  it('stays ahead where its clock was moved ahead', async () => {
    const first = await start();
    await rpc.request('evm_increaseTime', [86_400]);
    await rpc.request('evm_mine');
    const before = await getBlock(rpc, 'latest');
    await first.stop();
    await start();
    await rpc.request('evm_mine');
    const after = await getBlock(rpc, 'latest');
    expect(after!.number).toBeGreaterThan(before!.number);
    expect(after!.timestamp).toBeGreaterThanOrEqual(before!.timestamp);
  });
});

describe('a local chain whose state was lost', () => {
  it.each(sampleOf<[string, (state: string) => Promise<void>]>([
    ['removed', (state) => rm(state)],
    ['truncated', (state) => truncate(state, 5_000)],
    ['that of another chain', async (state) => {
      const other = await startDevnet({ folder: join(folder, 'other'), operators: 1, gatewayUrl: '', log: createLogger('silent'), system: systemInterfaces });
      await other.stop();
      await writeFile(state, await readFile(join(folder, 'other', 'devnet', 'state.json')));
    }],
  ], 1))('is made again with the same keys, and says so: %s', async (_how, lose) => {
    const first = await start();
    await first.stop();
    await lose(join(folder, 'devnet', 'state.json'));
    const heard: string[] = [];
    const second = await start(2, createLogger('warn', { write: (line) => void heard.push(line) }));
    expect(second.made).toBe('again');
    expect(heard.join('')).toContain('creating a new, empty chain with the same keys');
    expect(heard.join('')).not.toContain(second.facts.relayer.privateKey.slice(2));
    expect(second.facts.operators).toEqual(first.facts.operators);
    expect(second.facts.genesis.hash).not.toBe(first.facts.genesis.hash);
    expect(await licensesOf(second.facts)).toEqual([1n, 1n]);
  });

  it('is not made where devnet.json cannot be read', async () => {
    await writeFile(join(folder, 'devnet.json'), '{"rpc_url":"http://127.0.0.1:1","chain_id":31337,"relayer":{"private_key":"0xsecretsecret"}}');
    const error = await start().then(() => null, (fault: unknown) => fault as Error);
    expect(error?.message).toMatch(/devnet\.json was changed or damaged .* Remove the file/);
    expect(error?.message).not.toContain('secretsecret');
  });
});

it('takes another port where the one of before is taken', async () => {
  const first = await start();
  await first.stop();
  const { port } = new URL(first.facts.rpcUrl);
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const second = await start();
  expect(second.made).toBe('kept');
  expect(second.facts.rpcUrl).not.toBe(first.facts.rpcUrl);
  expect(await readFile(second.nodeFile, 'utf8')).toContain(second.facts.rpcUrl);
});

it('removes what a process left that was killed while it wrote', async () => {
  const first = await start();
  await first.stop();
  for (const name of ['devnet.json.17.unfinished', join('devnet', 'state.json.17.unfinished')]) await writeFile(join(folder, name), 'half');
  await mkdir(join(folder, 'devnet', 'anvil-state-of-before'));
  await start();
  const names = [...await readdir(folder), ...await readdir(join(folder, 'devnet'))];
  expect(names.filter((name) => /unfinished|of-before/.test(name))).toEqual([]);
});

exhaustiveTest('does not fill the disk with the states of its blocks', async () => {
  await start();
  await rpc.request('anvil_mine', [1_000]);
  const files = await readdir(join(folder, 'devnet'), { recursive: true });
  expect(files.length).toBeLessThan(10);
});

it('leaves no anvil behind', async () => {
  const devnet = await start();
  await devnet.stop();
  await devnet.ended;
  const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  expect(processes.filter((line) => line.includes('anvil') && line.includes(folder))).toEqual([]);
});
