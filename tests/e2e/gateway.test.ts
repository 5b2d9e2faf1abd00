import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { spansOf, startCollector, type ExportedSpan } from './harness/collector.ts';
import type { Receiver } from './harness/receiver.ts';
import { runVouch, startVouch, type RunningVouch } from './harness/startVouch.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const send = fileURLToPath(new URL('../../examples/gateway/send.ts', import.meta.url));
const execute = promisify(execFile);

interface Devnet {
  rpc_url: string;
  contracts: { service: string };
  relayer: { address: string; private_key: string };
}

let collector: Receiver;
let vouch: RunningVouch;
let devnet: Devnet;

beforeAll(async () => {
  collector = await startCollector();
  vouch = await startVouch({ arguments: ['--devnet'], environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  devnet = JSON.parse(await readFile(join(vouch.folder, 'devnet.json'), 'utf8')) as Devnet;
});

afterAll(async () => {
  await vouch.stop();
  await collector.close();
});

function words(url: string, devnetFile: string): string[] {
  return ['--import', 'tsx', send, '--url', url, '--devnet', devnetFile];
}

async function runExample(): Promise<string> {
  return (await execute(process.execPath, words(vouch.url, join(vouch.folder, 'devnet.json')), { cwd: root })).stdout;
}

/** Starts a server with fixed responses and returns its URL. */
async function answering(answers: Readonly<Record<string, object>>): Promise<string> {
  const server = createServer((request, response) => response.end(JSON.stringify(answers[request.url ?? ''])));
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the example of a signed message', () => {
  exhaustiveTest('ends confirmed, with a transaction and its gas; the second time nothing has to be done', async () => {
    const first = await runExample();
    expect(first).toMatch(/^200 \{"code":0,"msg":"ok"/);
    const record = JSON.parse(first.slice(first.lastIndexOf('\n{') + 1)) as { status: string; transactions: object[]; gas: { used: number } };
    expect(record).toMatchObject({ status: 'confirmed', transactions: [{ mined: true }] });
    expect(record.gas.used).toBeGreaterThan(21_000);
    expect(await runExample()).toContain('"code": "unchanged"');
  });

  exhaustiveTest('has a span for each message below its request, from the acceptance to the end', async () => {
    const messages = await vi.waitUntil(() => {
      const found = spansOf(collector).filter(({ name }) => name === 'message claimer');
      return found.length === 2 ? found : null;
    }, { timeout: 60_000, interval: 100 });
    const requests = spansOf(collector).filter(({ name }) => name === 'POST /explorer_alphanet/send_tx_set_reward_claimer');
    expect(messages.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual(requests.map(({ traceId, spanId }) => [traceId, spanId]));
    const [sent, unchanged] = messages as [ExportedSpan, ExportedSpan];
    expect(sent.events.map(({ name }) => name)).toEqual(['batched', 'sent', 'mined']);
    const times = [sent.startTimeUnixNano, ...sent.events.map(({ timeUnixNano }) => timeUnixNano), sent.endTimeUnixNano].map(BigInt);
    expect(times).toEqual(times.toSorted((one, other) => (one < other ? -1 : 1)));
    const valuesOf = ({ attributes }: ExportedSpan): Record<string, unknown> => Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
    expect(valuesOf(sent)).toEqual({
      'vouch.message.kind': 'claimer', 'vouch.message.outcome': 'confirmed', 'vouch.batch.id': expect.any(String) as string,
      'vouch.transaction.hash': expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
    });
    expect([unchanged.events, valuesOf(unchanged)]).toEqual([[], { 'vouch.message.kind': 'claimer', 'vouch.message.outcome': 'confirmed' }]);
    // Whoever knows the id of a message can read its record.
    expect(collector.received.some(({ body }) => body.includes('gw_'))).toBe(false);
  });

  exhaustiveTest('says in a sentence what is missing', async () => {
    const facts = join(vouch.folder, 'devnet.json');
    const chainless = await answering({ '/gateway/info': { domain: {}, chain: null } });
    const cases: [string, string, string][] = [
      [vouch.url, join(vouch.folder, 'none.json'), 'none.json cannot be read. npm start writes this file'],
      ['http://127.0.0.1:9', facts, 'No server answers at http://127.0.0.1:9.'],
      [chainless, facts, `The server at ${chainless} has no chain.`],
    ];
    for (const [url, devnetFile, sentence] of cases) {
      const said = { code: 1, stdout: '', stderr: expect.stringContaining(sentence) as string };
      await expect(execute(process.execPath, words(url, devnetFile), { cwd: root })).rejects.toMatchObject(said);
    }
  });

  exhaustiveTest('tells why a message failed', async () => {
    const url = await answering({
      '/gateway/info': { domain: { name: 'P', version: '1', chain_id: 1 }, chain: { time: 0 } },
      '/explorer_alphanet/send_tx_set_reward_claimer': { data: { request_id: 'gw_1' } },
      '/gateway/requests/gw_1': { status: 'failed', reason: { code: 'contract-refused' } },
    });
    const told = { code: 1, stdout: expect.stringContaining('contract-refused') as string };
    await expect(execute(process.execPath, words(url, join(vouch.folder, 'devnet.json')), { cwd: root })).rejects.toMatchObject(told);
  });

  exhaustiveTest('shows in the metrics, and in the list of batches for an admin', async () => {
    const metrics = await (await fetch(`${vouch.url}/metrics`)).text();
    expect(metrics).toMatch(/vouch_gateway_messages_total\{kind="claimer",outcome="accepted"\} 1/);
    expect(metrics).toMatch(/vouch_gateway_messages_total\{kind="claimer",outcome="unchanged"\} 1/);
    const batches = await (await fetch(`${vouch.url}/gateway/batches?limit=1`, { headers: { apikey: vouch.key } })).json() as object[];
    expect(batches).toMatchObject([{ status: 'confirmed', operations: 1, nonce: expect.any(Number) as number }]);
    const { key } = await vouch.createKey({ scopes: ['data:read'] });
    expect((await fetch(`${vouch.url}/gateway/batches`, { headers: { apikey: key } })).status).toBe(403);
  });
});

describe('the budgets of gas', () => {
  const run = (...words: string[]) => runVouch(['gateway', ...words], {
    VOUCH_DATA: vouch.folder, PORT: new URL(vouch.url).port, DATABASE_URL: vouch.database?.connectionString ?? '',
  });

  exhaustiveTest('are shown and changed from the command line while the gateway runs', async () => {
    const spent = (JSON.parse(await run('budgets', '--json')) as { total: { kind: string; spent: number; reserved: number }[] }).total.find(({ kind }) => kind === 'claimer');
    expect(spent?.spent ?? 0).toBeGreaterThan(21_000);
    expect(await run('budget', 'license', 'claimer', '1234567')).toContain('1234567');
    const shown = async () => (await (await fetch(`${vouch.url}/gateway/info`)).json() as { budgets: { license: { claimer: number } } }).budgets.license.claimer;
    expect(await shown()).toBe(1_234_567);
    await run('budget', 'license', 'claimer', 'default');
    expect(await shown()).toBe(400_000);
    await expect(run('budget', 'license', 'claims', '1')).rejects.toThrow(/must be one of enter, exit, commission, claimer, report/);
  });

  exhaustiveTest('are those of a further deployment where the command line names it', async () => {
    const file = join(vouch.folder, 'deployments.toml');
    await writeFile(file, `[second]\nchain_rpc_url = "http://127.0.0.1:9"\nchain_id = 4242\ncontract_address = "${devnet.contracts.service}"\nrelayer_keystores = "none.json"\n`);
    const ofBoth = (...words: string[]) => runVouch(['gateway', ...words, '--json'], {
      VOUCH_DATA: vouch.folder, DATABASE_URL: vouch.database?.connectionString ?? '', VOUCH_GATEWAY_DEPLOYMENTS: file,
    });
    const budgetOf = (text: string) => (JSON.parse(text) as { total: { kind: string; gas_per_day: number }[] }).total.find(({ kind }) => kind === 'exit')?.gas_per_day;
    expect(budgetOf(await ofBoth('budget', 'total', 'exit', '7654321', '--deployment', 'second'))).toBe(7_654_321);
    expect(budgetOf(await ofBoth('budgets'))).toBe(200_000_000);
    expect(JSON.parse(await ofBoth('transactions', '--deployment', 'second'))).toEqual([]);
    await expect(ofBoth('signers', '--deployment', 'third')).rejects.toThrow(/--deployment is \\?"third\\?", which is not the name of a deployment\. .*deployments\.toml have default, second\./);
  });

  exhaustiveTest('have lists of signers beside them', async () => {
    const signer = `0x${'ab'.repeat(20)}`;
    expect(await run('deny', signer, '--note', 'toggles')).toMatch(/deny .*0xABaBaBaB.* toggles/i);
    expect(await run('deny', signer, '--remove')).toContain('the gateway serves every signer');
  });
});

interface Report {
  check: string;
  findings: { status: string; detail: string; remedy?: string }[];
}

describe('doctor', () => {
  exhaustiveTest('finds RPC, chain, contract, domain, clock, relayer and recovery in order, and shows no key', async () => {
    const text = await runVouch(['doctor', '--json'], {
      VOUCH_DATA: vouch.folder, PORT: new URL(vouch.url).port, DATABASE_URL: vouch.database?.connectionString ?? '',
      VOUCH_CHAIN_RPC_URL: devnet.rpc_url, VOUCH_CHAIN_ID: '31337',
      VOUCH_CONTRACT_ADDRESS: devnet.contracts.service, VOUCH_RELAYER_KEYS: devnet.relayer.private_key,
    });
    const reports = (JSON.parse(text) as Report[]).filter(({ check }) => check.startsWith('gateway') || check === 'signatures');
    expect(reports.map(({ check }) => check)).toEqual([
      'gateway', 'gateway RPC', 'gateway chain', 'gateway contract', 'gateway domain', 'gateway clock', 'gateway relayer', 'gateway queue', 'gateway keeper', 'gateway budgets', 'signatures',
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
