import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRecord } from '@vouch/chain/contracts/deployment/deploymentRecord';
import { wantedBehind } from '@vouch/chain/testing/productionChain';
import { planDeployment } from '@vouch/chain/contracts/deployment/planDeployment';
import { startRecord } from '@vouch/chain/contracts/deployment/startRecord';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { verifierProgram, vouchProgram } from '../../bench/harness/serveVouch.ts';

let folder: string;
let database: TestDatabase;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-exit-'));
  database = await openTestDatabase();
  const { PATH = '', HOME = '' } = process.env;
  environment = { PATH, HOME, VOUCH_DATA: join(folder, 'data'), DATABASE_URL: database.connectionString };
  await writeFile(join(folder, 'broken.mp4'), 'this is no video');
  await writeFile(join(folder, 'verifier.yaml'), 'chain:\n  chain_id: many\n');
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function run(words: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: folder, env: { ...environment, ...variables } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const vouch = (words: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Ended> => run([vouchProgram, ...words], variables);
const verifier = (words: readonly string[]): Promise<Ended> => run([verifierProgram, ...words]);

/** Parses the single line on standard output. */
function errorOf({ stdout }: Ended): { code: string; detail: string } {
  return (JSON.parse(stdout) as { error: { code: string; detail: string } }).error;
}

const { done, failed, usage, input, notInOrder } = exitCodes;

describe('vouch', () => {
  it.each(sampleOf<[name: string, words: string[], code: number, error: string, variables?: Record<string, string>]>([
    ['an unknown option', ['keys', 'list', '--no-such'], usage, 'usage'],
    ['an unknown command', ['sevre'], usage, 'usage'],
    ['no command of keys', ['keys'], usage, 'usage'],
    ['a configuration that is wrong', ['keys', 'list'], usage, 'usage', { PORT: '99999' }],
    ['a product that is none', ['serve', '--only', 'theatre'], usage, 'usage'],
    ['a number of operators that is none', ['devnet', '--operators', 'x'], usage, 'usage'],
    ['an option of a preview that is wrong', ['summarize', 'broken.mp4', '--duration', '-1'], usage, 'invalid-parameter'],
    ['a kind of attestation that is none', ['devnet', 'attest', 'foo'], usage, 'usage'],
    ['a scope that is none', ['keys', 'create', '--scope', 'all'], usage, 'invalid-parameter'],
    ['no scope', ['keys', 'create'], usage, 'usage'],
    ['no id of a key', ['keys', 'rotate'], usage, 'usage'],
    ['a key that is not there', ['keys', 'revoke', 'none'], input, 'input'],
    ['a replacement for no key', ['keys', 'rotate', 'none'], input, 'not-found'],
    ['an organization that is not there', ['webhooks', 'secret', 'show', '--organization', 'none'], input, 'input'],
    ['the keys of an organization that is not there', ['keys', 'list', '--organization', 'none'], input, 'input'],
    ['a file that is not there', ['summarize', 'none.mp4'], input, 'input'],
    ['a file that is no video', ['summarize', 'broken.mp4'], input, 'not-media'],
    ['a folder that is no backup', ['restore', '.'], input, 'input'],
    ['a database that does not answer', ['keys', 'list'], failed, 'failed', { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x' }],
  ], 6))('ends with its code for %s, with a sentence, and as JSON where that is asked for', async (_name, words, code, error, variables) => {
    const ended = await vouch([...words, '--json'], variables);
    expect([ended.code, errorOf(ended).code], ended.stderr + ended.stdout).toEqual([code, error]);
    expect(errorOf(ended).detail).toMatch(/\S[.!?)]$/);
    expect(ended.stderr).not.toMatch(/^ +at /m);
    expect(ended.stderr).not.toBe('');
  });

  it('ends with 0 where all went well, with 4 where the doctor finds a fault, and prints no error beside its findings', async () => {
    expect(await vouch(['keys', 'list', '--json'])).toMatchObject({ code: done, stdout: '[]\n' });
    expect((await vouch(['--version'])).code).toBe(done);
    expect((await vouch(['keys', 'create', '--help'])).code).toBe(done);
    const examined = await vouch(['doctor', '--json'], { PORT: '99999' });
    expect(examined.code).toBe(notInOrder);
    expect(Array.isArray(JSON.parse(examined.stdout))).toBe(true);
  });
});

describe('vouch contracts', () => {
  const account = `0x${'12'.repeat(20)}` as const;
  /** An RPC endpoint that answers only the chain id, 1. */
  const otherChain = createHttpServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => { text += part.toString(); }).on('end', () => {
      const { id } = JSON.parse(text) as { id: number };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }));
    });
  });

  beforeAll(async () => {
    const file = { chain_id: 4_242, owner: account, roles: { tees: [account] }, randomness: { coordinator: account, subscription_id: '1', key_hash: `0x${'ab'.repeat(32)}` } };
    const wanted = wantedBehind({ coordinator: account, multisig: account, tee: account });
    await writeRecord(join(folder, 'made.record.json'), { ...startRecord(planDeployment(wanted, account, 0), wanted, file), state: 'complete' });
    await writeFile(join(folder, 'begun.json'), '{"format": 1, "state": "unfin');
    await writeFile(join(folder, 'production.toml'), `chain_id = 4242\nowner = "${account}"\n[randomness]\ncoordinator = "${account}"\nsubscription_id = "1"\nkey_hash = "0x${'ab'.repeat(32)}"\n`);
    await writeFile(join(folder, 'broken.toml'), 'chain_id = 4242\nowner = \n');
    await writeFile(join(folder, 'key.json'), 'no keystore');
    await new Promise<void>((resolve) => otherChain.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    await new Promise((resolve) => otherChain.close(resolve));
  });

  const deploy = ['deploy', 'production.toml'];

  it.each(sampleOf<[name: string, words: string[], code: number, said: RegExp, rpc?: string | null]>([
    ['an option that is none', [...deploy, '--sned'], usage, /unknown option '--sned'/],
    ['a file that is no TOML', ['deploy', 'broken.toml'], usage, /^broken\.toml, line 2, column \d+: /],
    ['a key that is not there', [...deploy, '--key', 'none.json'], input, /^The keystore none\.json cannot be read \(ENOENT\)/],
    ['a key that is no keystore', [...deploy, '--key', 'key.json'], input, /^key\.json: /],
    ['a record that is not there', ['verify', 'none.json'], input, /^No deployment record exists at none\.json/],
    ['a record that is cut off', ['verify', 'begun.json'], input, /^begun\.json is not a deployment record/],
    ['no endpoint', ['verify', 'made.record.json'], usage, /^VOUCH_CHAIN_RPC_URL is not set/, null],
    ['an endpoint that does not answer', ['verify', 'made.record.json'], failed, /did not answer eth_chainId: 127\.0\.0\.1:1 /, 'http://127.0.0.1:1'],
    ['a record of another chain', ['verify', 'made.record.json'], input, /^The deployment of made\.record\.json is on chain 4242; the endpoints of VOUCH_CHAIN_RPC_URL serve chain 1\./],
  ], 3))('ends with its code for %s, with a sentence, and as JSON where that is asked for', async (_name, words, code, said, rpc) => {
    const url = rpc === undefined ? `http://127.0.0.1:${(otherChain.address() as AddressInfo).port}` : rpc;
    const ended = await vouch(['contracts', ...words, '--json'], url === null ? {} : { VOUCH_CHAIN_RPC_URL: url });
    const error = errorOf(ended);
    expect([ended.code, error.code, error.detail], ended.stderr).toEqual([code, code === usage ? 'usage' : code === input ? 'input' : 'failed', expect.stringMatching(said)]);
    expect(ended.stderr).toMatch(/^vouch: \S/m);
    expect(ended.stderr).not.toMatch(/^ +at /m);
  });
});

describe('verifier', () => {
  it.each(sampleOf<[name: string, words: string[], code: number, error: string]>([
    ['a flag that is none', ['status', '-no-such'], usage, 'usage'],
    ['a command that is none', ['sttus'], usage, 'usage'],
    ['a configuration that is wrong', ['config', 'check', '-conf', 'verifier.yaml'], usage, 'usage'],
    ['a keystore that is not there', ['keystore', 'inspect', '-keystore-path', 'none.json'], input, 'input'],
  ], 2))('ends with its code for %s, with a sentence, and as JSON where that is asked for', async (_name, words, code, error) => {
    const ended = await verifier([...words, '-json']);
    expect([ended.code, errorOf(ended).code], ended.stderr + ended.stdout).toEqual([code, error]);
    expect(ended.stderr).toMatch(/^verifier: \S/m);
    expect(ended.stderr).toContain(errorOf(ended).detail.split(': ').at(-1));
  });

  it('ends with 4 where the doctor finds a fault, and with 0 where all went well', async () => {
    const examined = await verifier(['doctor', '-conf', 'verifier.yaml', '-json']);
    expect([examined.code, (JSON.parse(examined.stdout) as { healthy: boolean }).healthy]).toEqual([notInOrder, false]);
    expect((await verifier(['version', '-json'])).code).toBe(done);
  });
});

describe('the sentence that helps', () => {
  exhaustiveTest('for an option that is a setting names its variable and the value, but no secret', async () => {
    const ended = await vouch(['serve', '--port', '9000']);
    expect(ended.stderr).toContain('PORT=9000 vouch serve');
    expect((await vouch(['serve', '--host=0.0.0.0'])).stderr).toContain('HOST=0.0.0.0');
    expect((await vouch(['worker', '--data', '/srv/vouch'])).stderr).toContain('VOUCH_DATA=/srv/vouch');
    const secret = await vouch(['serve', '--admin-key', 'correct-horse-battery-staple']);
    expect(secret.stderr).toContain('VOUCH_ADMIN_KEY=…');
    expect(secret.stderr).not.toContain('correct-horse');
  });

  it('for a key without a scope lists the choices', async () => {
    const { stderr } = await vouch(['keys', 'create', '--name', 'shop']);
    for (const scope of ['data:read', 'recommend:read', 'video:write', 'admin']) expect(stderr).toContain(scope);
    expect(stderr).toContain('--scope recommend:read');
  });

  it('for keys rotate and revoke without an id says where ids are found', async () => {
    for (const command of ['rotate', 'revoke']) {
      const { stderr } = await vouch(['keys', command]);
      expect(stderr).toContain(`vouch keys ${command} <id>`);
      expect(stderr).toContain('vouch keys list');
    }
  });
});
