import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProductionChain, type ProductionChain } from '@vouch/chain/contracts/deployment/fixtures/productionChain';
import { sealKeystore } from '@vouch/chain/keystore/keystore';
import { getNonce } from '@vouch/chain/rpc/chainReads';
import { realDoors } from '@vouch/platform/process/doors';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { vouchProgram } from '../../bench/harness/serveVouch.ts';

let chain: ProductionChain;
let folder: string;
let proxy: Server;
/** Called with each transaction on its way: before the chain has it, and after. */
let onTransaction: (when: 'before' | 'after') => void = () => {};

beforeAll(async () => {
  chain = await startProductionChain();
  folder = await mkdtemp(join(tmpdir(), 'vouch-killed-deployment-'));
  await writeFile(join(folder, 'key.json'), await sealKeystore(chain.account.privateKey, 'secret', realDoors.random));
  await writeFile(join(folder, 'password'), 'secret\n', { mode: 0o600 });
  await writeFile(join(folder, 'production.toml'), `chain_id = 4242
owner = "${chain.multisig}"
[timelock]
[roles]
tees = ["${chain.relayer.address}"]
[randomness]
coordinator = "${chain.coordinator}"
subscription_id = "1"
key_hash = "0x${'ab'.repeat(32)}"
`);
  proxy = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const sends = body.includes('eth_sendRawTransaction');
      if (sends) onTransaction('before');
      fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(async (answer) => {
        const text = await answer.text();
        if (sends) onTransaction('after');
        response.setHeader('content-type', 'application/json').end(text);
      }).catch(() => response.destroy());
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});

afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await chain?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the deployment and kills it at a transaction; null: lets it end. */
async function deploy(kill: 'before' | 'after' | null): Promise<{ code: number | null; signal: string | null; errors: string }> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [vouchProgram, 'contracts', 'deploy', 'production.toml', '--key', 'key.json', '--password-file', 'password', '--send'], {
    cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], detached: true,
    env: { PATH, HOME, VOUCH_CHAIN_RPC_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, VOUCH_CONFIRMATIONS: '0' },
  });
  let errors = '';
  child.stderr.on('data', (part: Buffer) => { errors += part.toString('utf8'); });
  onTransaction = (when) => {
    if (when === kill && child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  const [code, signal] = await once(child, 'exit') as [number | null, string | null];
  onTransaction = () => {};
  return { code, signal, errors };
}

it('a deployment that is killed at each of its transactions, before and after the chain has it, makes every contract once', async () => {
  // Every start gets one transaction further at most: it finds what the one before had sent.
  let kills = 0;
  for (;;) {
    const ended = await deploy(kills % 2 === 0 ? 'before' : 'after');
    if (ended.signal === null) {
      expect(ended.code, ended.errors).toBe(0);
      break;
    }
    expect(ended.signal).toBe('SIGKILL');
    kills += 1;
    expect(kills).toBeLessThan(100);
  }
  const record = JSON.parse(await readFile(join(folder, 'production.record.json'), 'utf8')) as { state: string; steps: { name: string; attempts: { nonce: number; hash: string }[]; mined: { hash: string } | null }[] };
  expect(record.state).toBe('complete');
  expect(kills).toBeGreaterThanOrEqual(record.steps.length);
  expect(record.steps.map(({ attempts }) => attempts.map(({ nonce }) => nonce))).toEqual(record.steps.map((_, at) => [at]));
  expect(record.steps.map(({ attempts, mined }) => mined?.hash === attempts[0]?.hash)).toEqual(record.steps.map(() => true));
  expect(await getNonce(chain.rpc, chain.account.address)).toBe(record.steps.length);
});
