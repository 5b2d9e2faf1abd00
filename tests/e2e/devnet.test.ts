import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openTestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { vouchProgram } from '../../bench/harness/serveVouch.ts';
import { killAll } from '../crash/harness/processTree.ts';
import { startVouch, type RunningVouch, type StartOptions } from './harness/startVouch.ts';

let folder: string;
const closers: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-e2e-devnet-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

interface DevnetFile {
  rpc_url: string;
  contracts: { service: string };
  relayer: { address: string; private_key: string };
  operators: { address: string; private_key: string }[];
}

async function serve(options: Omit<StartOptions, 'folder'> = {}): Promise<RunningVouch> {
  const vouch = await startVouch({ folder, ...options });
  closers.push(() => vouch.stop());
  return vouch;
}

const devnetFile = async (): Promise<DevnetFile> => JSON.parse(await readFile(join(folder, 'devnet.json'), 'utf8')) as DevnetFile;

interface Info {
  configured: boolean;
  chain: { chain_id: number; local: boolean; contract: string } | null;
}

const infoOf = async ({ url }: RunningVouch): Promise<Info> => (await (await fetch(`${url}/gateway/info`)).json()) as Info;

/** Runs `vouch devnet` until the command reports that the chain runs, and returns the output. */
async function devnet(...words: string[]): Promise<{ child: ChildProcess; printed: string; errors(): string }> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [vouchProgram, 'devnet', ...words], {
    cwd: folder, env: { PATH, HOME, VOUCH_DATA: folder }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  child.stderr.on('data', (part: Buffer) => {
    process.stderr.write(part);
    written += part.toString('utf8');
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  closers.push(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let printed = '';
  for await (const line of createInterface(child.stdout)) {
    printed += `${line}\n`;
    if (line.startsWith('Ctrl-C')) break;
  }
  return { child, printed, errors: () => written };
}

function anvils(): string[] {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').filter((line) => line.includes('anvil') && line.includes(folder));
}

/** Returns the ids of the processes that run the chain. */
function anvilProcesses(): number[] {
  return execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n')
    .filter((line) => /anvil --host/.test(line) && line.includes(folder) && !line.includes('/bin/sh')).map((line) => Number.parseInt(line.trim(), 10));
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('a server with a local chain', () => {
  exhaustiveTest('leads the gateway to it, says that it is local, finds it again, and leaves none behind', async () => {
    const database = await openTestDatabase({ maxConnections: 3 });
    closers.push(() => database.close());
    // Both starts use the same database, because the blobs of the folder belong to this database.
    const options: StartOptions = { arguments: ['--devnet'], database: { url: database.connectionString } };
    const vouch = await serve(options);
    const file = await devnetFile();
    expect(await infoOf(vouch)).toMatchObject({ configured: true, chain: { chain_id: 31_337, local: true } });
    expect((await infoOf(vouch)).chain?.contract.toLowerCase()).toBe(file.contracts.service);
    expect(await readFile(join(folder, 'verifier.yaml'), 'utf8')).toContain(`url: "${vouch.url}"`);
    expect(await vouch.run('doctor')).toMatch(/ok +gateway +.*31337, a local chain/);
    const log = await vouch.log();
    expect(log).toContain('a local chain is running, for development only');
    for (const { private_key: key } of [file.relayer, ...file.operators]) expect(log).not.toContain(key.slice(2));
    await vouch.stop();
    expect(anvils()).toEqual([]);
    const again = await serve(options);
    expect(await devnetFile()).toEqual(file);
    expect(anvils().length).toBeGreaterThan(0);
    await again.kill();
    await until(() => anvils().length === 0);
  });

  exhaustiveTest('goes on without, with one line, where the chain cannot be started', async () => {
    await writeFile(join(folder, 'devnet.json'), '{}');
    const vouch = await serve({ arguments: ['--devnet'] });
    expect(await infoOf(vouch)).toMatchObject({ configured: false });
    const lines = (await vouch.log()).split('\n').filter((line) => line.includes('The local chain did not start'));
    expect(lines.length).toBe(1);
    expect(lines[0]).toMatch(/everything else works\. .*devnet\.json was changed or damaged/);
  });

  exhaustiveTest('starts none where a chain is configured', async () => {
    const vouch = await serve({ arguments: ['--devnet'], environment: { VOUCH_CHAIN_RPC_URL: 'http://127.0.0.1:1', VOUCH_CHAIN_ID: '1' } });
    expect(await vouch.log()).toContain('A chain is configured, so Vouch starts no local chain.');
    expect(anvils()).toEqual([]);
  });

  exhaustiveTest('is had only by who asks for it', async () => {
    const vouch = await serve();
    expect(await infoOf(vouch)).toMatchObject({ configured: false });
    expect(anvils()).toEqual([]);
  });
});

describe('vouch devnet', () => {
  it('prints the addresses, keeps the keys out, serves a server beside it, ends in order on SIGINT and takes its chain with it', async () => {
    const { child, printed } = await devnet('--operators', '2');
    const file = await devnetFile();
    expect(printed.toLowerCase()).toContain(file.contracts.service);
    for (const { address, private_key: key } of file.operators) {
      expect(printed.toLowerCase()).toContain(address);
      expect(printed).not.toContain(key.slice(2));
    }
    const vouch = await serve({ arguments: ['--devnet'] });
    expect(await vouch.log()).toContain('The local chain already runs in another process');
    expect((await infoOf(vouch)).chain?.contract.toLowerCase()).toBe(file.contracts.service);
    await vouch.stop();
    expect(anvils().length).toBeGreaterThan(0);
    child.kill('SIGINT');
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
    expect(anvils()).toEqual([]);
  });

  it('takes its chain with it when it is killed', async () => {
    const { child } = await devnet('--operators', '1');
    child.kill('SIGKILL');
    await until(() => anvils().length === 0);
  });

  exhaustiveTest('ends with code 1, and says why, when its chain ends again and again', async () => {
    const { child, errors } = await devnet('--operators', '1');
    let ended = false;
    const exit = new Promise((resolve) => child.once('exit', resolve)).finally(() => { ended = true; });
    await until(() => {
      killAll(anvilProcesses().map((processId) => ({ processId })));
      return ended;
    });
    expect(await exit).toBe(1);
    expect(errors()).toContain('The local chain ended 6 times in a row and is not started again');
    expect(errors()).toContain('anvil was ended by SIGKILL from outside');
  });
});
