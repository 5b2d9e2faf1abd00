import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProductionChain, type ProductionChain } from '@vouch/chain/testing/productionChain';
import { lightScrypt } from '@vouch/chain/keystore/deriveKey';
import { sealKeystore } from '@vouch/chain/keystore/keystore';
import { getNonce } from '@vouch/chain/rpc/chainReads';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { takeLock } from '@vouch/platform/process/fileLock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { vouchProgram } from '../../bench/harness/serveVouch.ts';

let chain: ProductionChain;
let folder: string;

beforeAll(async () => {
  chain = await startProductionChain();
  folder = await mkdtemp(join(tmpdir(), 'vouch-contracts-'));
  await writeFile(join(folder, 'key.json'), await sealKeystore(chain.account.privateKey, 'secret of tests', systemInterfaces.random, lightScrypt));
  await writeFile(join(folder, 'password'), 'secret of tests\n', { mode: 0o600 });
  await writeFile(join(folder, 'production.toml'), deploymentFile());
});

afterAll(async () => {
  await chain?.stop();
  await rm(folder, { recursive: true, force: true });
});

function deploymentFile(changes: Record<string, string> = {}): string {
  const { chain_id: chainId = '4242', owner = chain.multisig, settings = '', delay = '7200' } = changes;
  return `chain_id = ${chainId}
owner = "${owner}"
[timelock]
delay = ${delay}
[roles]
tees = ["${chain.relayer.address}"]
[randomness]
coordinator = "${chain.coordinator}"
subscription_id = "1"
key_hash = "0x${'ab'.repeat(32)}"
[settings]
change_delay = 3600
${settings}
`;
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function environment(variables: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, VOUCH_CHAIN_RPC_URL: chain.url, VOUCH_CONFIRMATIONS: '0', ...variables };
}

function vouch(words: readonly string[], variables: Record<string, string> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [vouchProgram, 'contracts', ...words], { cwd: folder, env: environment(variables) }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const key = ['--key', 'key.json', '--password-file', 'password'];
const json = <Value>({ stdout }: Ended): Value => JSON.parse(stdout) as Value;

describe('vouch contracts', () => {
  exhaustiveTest('plans without sending, deploys, verifies and plans changes', async () => {
    const planned = await vouch(['deploy', 'production.toml', ...key]);
    expect([planned.code, planned.stderr]).toEqual([0, '']);
    for (const said of ['Checks', 'Transactions', 'make service', 'timelock.executeBatch(take over)', 'Contracts', 'owner afterwards', 'Nothing was sent. --send deploys the contracts']) {
      expect(planned.stdout).toContain(said);
    }
    expect(await getNonce(chain.rpc, chain.account.address)).toBe(0);
    const plan = json<{ contracts: Record<string, string>; cost: { kind: string } }>(await vouch(['deploy', 'production.toml', ...key, '--json']));
    expect(plan.cost.kind).toBe('simulated');

    const made = await vouch(['deploy', 'production.toml', ...key, '--send']);
    expect(made.code, made.stderr).toBe(0);
    expect(made.stdout).toContain('The deployment is complete');
    const record = JSON.parse(await readFile(join(folder, 'production.record.json'), 'utf8')) as { contracts: Record<string, `0x${string}`>; steps: unknown[] };
    expect(record.contracts).toEqual(plan.contracts);
    for (const secret of [chain.account.privateKey.slice(2), 'secret of tests']) expect(JSON.stringify(record) + made.stdout + made.stderr).not.toContain(secret);

    const again = await vouch(['deploy', 'production.toml', ...key, '--send']);
    expect([again.code, again.stdout.includes('The deployment is complete')]).toEqual([0, true]);
    expect(await getNonce(chain.rpc, chain.account.address)).toBe(record.steps.length);

    const missing = await vouch(['verify', 'production.record.json']);
    expect([missing.code, missing.stdout]).toEqual([exitCodes.notInOrder, expect.stringContaining('not a consumer') as string]);
    await chain.addConsumer(record.contracts['randomness'] as `0x${string}`);
    const verified = await vouch(['verify', 'production.record.json', '--standard-json', 'sources']);
    expect(verified.code, verified.stdout).toBe(0);
    expect(verified.stdout).toContain('No differences.');
    expect((await vouch(['upgrade-plan', 'production.record.json'])).stdout).toContain('nothing to do');

    await writeFile(join(folder, 'changed.toml'), deploymentFile({ settings: 'report_window = 2400' }));
    expect((await vouch(['verify', 'production.record.json', '--file', 'changed.toml'])).code).toBe(exitCodes.notInOrder);
    const text = (await vouch(['upgrade-plan', 'production.record.json', '--file', 'changed.toml'])).stdout;
    for (const said of ['settings.setRules(reportWindow 2400)', '3600 s after its execution', '1. A proposer sends', '2. An executor sends, 7200 s later:']) expect(text).toContain(said);
    const changes = json<{ changes: { operation: { schedule: string; execute: string; timelock: string } } }>(await vouch(['upgrade-plan', 'production.record.json', '--file', 'changed.toml', '--json'])).changes;
    expect(changes.operation).toMatchObject({ timelock: record.contracts['timelock'], schedule: expect.stringMatching(/^0x8f2a0bb0/) as string, execute: expect.stringMatching(/^0xe38335e5/) as string });
  });

  exhaustiveTest('writes compiler input from which the deployed code is made', async () => {
    const { language, sources, settings } = JSON.parse(await readFile(join(folder, 'sources', 'production.json'), 'utf8')) as { language: string; sources: Record<string, { content: string }>; settings: { viaIR: boolean } };
    expect([language, settings.viaIR, Object.keys(sources).includes('coordinator/CoordinatorRandomness.sol')]).toEqual(['Solidity', true, true]);
  });

  it.each<[name: string, change: Record<string, string>, words: string[], code: number, said: RegExp]>([
    ['another chain', { chain_id: '1' }, [], exitCodes.notInOrder, /the RPC endpoints serve chain 4242, but chain_id in the file is 1/],
    ['an owner that is an account', { owner: `0x${'12'.repeat(20)}` }, [], exitCodes.notInOrder, /owner .*is not a contract on this chain.*--owner-is-account/],
    ['a number out of range and an unknown key', { settings: 'quorum = 10000\nquorom = 1' }, [], exitCodes.usage, /2 errors:[^]*settings\.quorum is 10000; it must be an integer[^]*settings\.quorom is an unknown key; did you mean settings\.quorum\?|2 errors:[^]*quorom[^]*quorum is 10000/],
    ['no file', {}, ['none.toml'], exitCodes.input, /none\.toml cannot be read \(ENOENT\)/],
  ])('refuses %s, and sends nothing', async (name, change, words, code, said) => {
    await writeFile(join(folder, 'other.toml'), deploymentFile(change));
    const before = await getNonce(chain.rpc, chain.account.address);
    const ended = await vouch(['deploy', ...(words.length > 0 ? words : ['other.toml']), ...key, '--record', `other-${name}.json`, '--send']);
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([code, expect.stringMatching(said) as string]);
    expect(await getNonce(chain.rpc, chain.account.address)).toBe(before);
  });

  exhaustiveTest('refuses too little balance, a wrong password, a missing key, no endpoint, and a record that another process sends', async () => {
    await writeFile(join(folder, 'other.toml'), deploymentFile());
    const deploy = (words: string[], variables: Record<string, string> = {}): Promise<Ended> => vouch(['deploy', 'other.toml', '--record', 'refused.json', '--send', ...words], variables);
    const balance = await chain.rpc.request<string>('eth_getBalance', [chain.account.address, 'latest']);
    await chain.setBalance(chain.account.address, 10n ** 12n);
    expect(await deploy(key)).toMatchObject({ code: exitCodes.notInOrder, stdout: expect.stringMatching(/fault +balance .*send .* more to/) as string });
    await chain.setBalance(chain.account.address, BigInt(balance));
    await writeFile(join(folder, 'wrong'), 'wrong\n', { mode: 0o600 });
    expect(await deploy(['--key', 'key.json', '--password-file', 'wrong'])).toMatchObject({ code: exitCodes.input, stderr: expect.stringContaining('does not open with this password') as string });
    expect(await deploy([])).toMatchObject({ code: exitCodes.usage, stderr: expect.stringContaining('--key is missing') as string });
    expect(await deploy(key, { VOUCH_CHAIN_RPC_URL: '' })).toMatchObject({ code: exitCodes.usage, stderr: expect.stringContaining('VOUCH_CHAIN_RPC_URL is not set') as string });
    expect(await deploy(key, { VOUCH_CHAIN_RPC_URL: 'http://127.0.0.1:1' })).toMatchObject({ code: exitCodes.failed });
    expect(await deploy(key, { VOUCH_MAX_FEE_GWEI: '0.000001' })).toMatchObject({ code: exitCodes.notInOrder, stdout: expect.stringContaining('raise VOUCH_MAX_FEE_GWEI') as string });
    const lock = await takeLock(join(folder, 'refused.json.lock'));
    expect(await deploy(key)).toMatchObject({ code: exitCodes.busy, stderr: expect.stringContaining('Another process deploys with the record') as string });
    await lock?.release();
    expect(await vouch(['verify', 'none.json'])).toMatchObject({ code: exitCodes.input, stderr: expect.stringContaining('No deployment record exists at none.json') as string });
  });

  exhaustiveTest('stopped by Ctrl-C, goes on where it was', async () => {
    await chain.rpc.request('evm_setAutomine', [false]);
    const child = spawn(process.execPath, [vouchProgram, 'contracts', 'deploy', 'production.toml', ...key, '--record', 'stopped.json', '--send'], { cwd: folder, env: environment(), stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (part: Buffer) => { said += part.toString('utf8'); });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const pending = async (): Promise<number> => getNonce(chain.rpc, chain.account.address, 'pending');
    const before = await getNonce(chain.rpc, chain.account.address);
    while ((await pending()) === before && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    expect([await ended, said]).toEqual([exitCodes.interrupted, expect.stringContaining('Run the command again to continue') as string]);
    await chain.rpc.request('evm_setAutomine', [true]);
    await chain.mine();
    const continued = await vouch(['deploy', 'production.toml', ...key, '--record', 'stopped.json', '--send', '--json']);
    expect(continued.code, continued.stderr).toBe(0);
    const { steps } = JSON.parse(await readFile(join(folder, 'stopped.json'), 'utf8')) as { steps: unknown[] };
    expect(await getNonce(chain.rpc, chain.account.address)).toBe(before + steps.length);
  });
});
