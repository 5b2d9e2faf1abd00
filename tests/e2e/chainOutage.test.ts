import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { Client } from '../../packages/gateway/conformance/client.ts';
import { signMessage } from '../../packages/gateway/conformance/signMessage.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

interface DevnetFile {
  rpc_url: string;
  operators: { private_key: `0x${string}` }[];
}

interface Report {
  check: string;
  findings: { status: string; detail: string; remedy?: string }[];
}

let vouch: RunningVouch;
let devnet: DevnetFile;
let anvil: number;

beforeEach(async () => {
  vouch = await startVouch({ arguments: ['--devnet'] });
  devnet = JSON.parse(await readFile(join(vouch.folder, 'devnet.json'), 'utf8')) as DevnetFile;
  const line = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n')
    .find((each) => /anvil --host/.test(each) && each.includes(vouch.folder) && !each.includes('/bin/sh'));
  anvil = Number.parseInt(line!.trim(), 10);
});
afterEach(async () => {
  try {
    process.kill(anvil, 'SIGCONT');
  } catch {
    // The test has already killed the process.
  }
  await vouch.stop();
});

/** Returns the findings of doctor that are not in order. Doctor runs beside the server, without any chain setting. */
async function faults(): Promise<(Report['findings'][number] & { check: string })[]> {
  const text = await vouch.run('doctor', '--json').catch((error: { stdout: string }) => error.stdout);
  return (JSON.parse(text) as Report[])
    .filter(({ check }) => check.startsWith('gateway'))
    .flatMap(({ check, findings }) => findings.map((finding) => ({ check, ...finding })))
    .filter(({ status }) => status !== 'ok');
}

const host = (): string => new URL(devnet.rpc_url).host;

exhaustiveTest('a chain that hangs: doctor names it, the message says what it waits for, and is confirmed when the chain goes on', async () => {
  const client = new Client(vouch.url);
  const { domain } = (await client.get('/gateway/info')).json<{ domain: { name: string; version: string; chain_id: number } }>();
  const unsigned = { kind: 'claimer', claimer: `0x${'c1'.repeat(20)}`, expired_at: Math.floor(Date.now() / 1_000) + 3_600 } as const;
  const body = await signMessage(unsigned, { ...domain, chainId: BigInt(domain.chain_id) }, devnet.operators[0]!.private_key);
  const id = await client.accept('claimer', body);
  process.kill(anvil, 'SIGSTOP');
  expect(await faults()).toEqual([
    {
      check: 'gateway RPC', status: 'fault', code: 'rpc-unavailable', detail: expect.stringMatching(new RegExp(`^${host()}: .*did not answer eth_chainId within`)) as string,
      remedy: expect.stringContaining('If the local chain does not restart by itself') as string,
    },
  ]);
  const repeated = await client.post('claimer', body);
  expect(repeated.headers.get('location')).toContain(id);
  for (;;) {
    const { status, waits_for: waitsFor } = await client.record(id);
    expect(['verified', 'batched', 'sent', 'mined']).toContain(status);
    if (waitsFor === 'The chain cannot be read at the moment.') break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  process.kill(anvil, 'SIGCONT');
  expect(await client.untilEnd(id)).toMatchObject({ status: 'confirmed', waits_for: null });
  expect(await faults()).toEqual([]);
});

exhaustiveTest('a chain that was killed under the server is started again, and what it lost of a message is sent again', async () => {
  const client = new Client(vouch.url);
  const { domain } = (await client.get('/gateway/info')).json<{ domain: { name: string; version: string; chain_id: number } }>();
  const claim = async (claimer: string): Promise<string> => {
    const unsigned = { kind: 'claimer', claimer: `0x${claimer.repeat(20)}`, expired_at: Math.floor(Date.now() / 1_000) + 3_600 } as const;
    return client.accept('claimer', await signMessage(unsigned, { ...domain, chainId: BigInt(domain.chain_id) }, devnet.operators[0]!.private_key));
  };
  const id = await claim('c2');
  while (!['sent', 'mined', 'confirmed'].includes((await client.record(id)).status)) await new Promise((resolve) => setTimeout(resolve, 10));
  process.kill(anvil, 'SIGKILL');
  expect(await client.untilEnd(id)).toMatchObject({ status: 'confirmed', waits_for: null });
  expect(await client.untilEnd(await claim('c3'))).toMatchObject({ status: 'confirmed' });
  expect(await faults()).toEqual([]);
  expect(await vouch.log()).toContain('the local chain has ended; restarting it from the saved state');
});
