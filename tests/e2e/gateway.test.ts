import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runVouch, startVouch, type RunningVouch } from './harness/startVouch.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const send = fileURLToPath(new URL('../../examples/gateway/send.ts', import.meta.url));
const execute = promisify(execFile);

interface Devnet {
  rpc_url: string;
  contracts: { service: string };
  relayer: { address: string; private_key: string };
}

let vouch: RunningVouch;
let devnet: Devnet;

beforeAll(async () => {
  vouch = await startVouch({ arguments: ['--devnet'] });
  devnet = JSON.parse(await readFile(join(vouch.folder, 'devnet.json'), 'utf8')) as Devnet;
});

afterAll(() => vouch.stop());

async function runExample(): Promise<string> {
  const words = ['--import', 'tsx', send, '--url', vouch.url, '--devnet', join(vouch.folder, 'devnet.json')];
  return (await execute(process.execPath, words, { cwd: root })).stdout;
}

describe('the example of a signed message', () => {
  it('ends confirmed, with a transaction and its gas; the second time nothing has to be done', async () => {
    const first = await runExample();
    expect(first).toMatch(/^200 \{"code":0,"msg":"ok"/);
    const record = JSON.parse(first.slice(first.lastIndexOf('\n{') + 1)) as { status: string; transactions: object[]; gas: { used: number } };
    expect(record).toMatchObject({ status: 'confirmed', transactions: [{ mined: true }] });
    expect(record.gas.used).toBeGreaterThan(21_000);
    expect(await runExample()).toContain('"code": "unchanged"');
  });

  it('shows in the metrics, and in the list of batches for an admin', async () => {
    const metrics = await (await fetch(`${vouch.url}/metrics`)).text();
    expect(metrics).toMatch(/vouch_gateway_messages_total\{kind="claimer",outcome="accepted"\} 1/);
    expect(metrics).toMatch(/vouch_gateway_messages_total\{kind="claimer",outcome="unchanged"\} 1/);
    const batches = await (await fetch(`${vouch.url}/gateway/batches?limit=1`, { headers: { apikey: vouch.key } })).json() as object[];
    expect(batches).toMatchObject([{ status: 'confirmed', operations: 1, nonce: expect.any(Number) as number }]);
    const { key } = await vouch.createKey({ scopes: ['data:read'] });
    expect((await fetch(`${vouch.url}/gateway/batches`, { headers: { apikey: key } })).status).toBe(403);
  });
});

interface Report {
  check: string;
  findings: { status: string; detail: string; remedy?: string }[];
}

describe('doctor', () => {
  it('finds RPC, chain, contract, domain, clock, relayer and recovery in order, and shows no key', async () => {
    const text = await runVouch(['doctor', '--json'], {
      VOUCH_DATA: vouch.folder, DATABASE_URL: vouch.database?.connectionString ?? '', VOUCH_CHAIN_RPC_URL: devnet.rpc_url, VOUCH_CHAIN_ID: '31337',
      VOUCH_CONTRACT_ADDRESS: devnet.contracts.service, VOUCH_RELAYER_KEYS: devnet.relayer.private_key,
    });
    const reports = (JSON.parse(text) as Report[]).filter(({ check }) => check.startsWith('gateway') || check === 'signatures');
    expect(reports.map(({ check }) => check)).toEqual([
      'gateway', 'gateway RPC', 'gateway chain', 'gateway contract', 'gateway domain', 'gateway clock', 'gateway relayer', 'gateway queue', 'signatures',
    ]);
    for (const { check, findings } of reports) for (const { status, detail } of findings) expect([status, check], detail).toEqual(['ok', check]);
    expect(text.toLowerCase()).toContain(devnet.relayer.address);
    expect(text).not.toContain(devnet.relayer.private_key.slice(2));
  });
});

describe('--only', () => {
  it.each([['gateway', 200, 404], ['recommender,video', 404, 401]])('%s serves just that', async (only, info, batches) => {
    const other = await startVouch({ arguments: ['--only', only] });
    try {
      expect((await fetch(`${other.url}/gateway/info`)).status).toBe(info);
      expect((await fetch(`${other.url}/v1/recommender/data_batch`)).status).toBe(batches);
    } finally {
      await other.stop();
    }
  });
});

describe('the log', () => {
  it('holds no key', async () => {
    expect(await vouch.log()).not.toContain(devnet.relayer.private_key.slice(2));
  });
});
