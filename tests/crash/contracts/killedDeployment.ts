import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProductionChain, type ProductionChain } from '@vouch/chain/testing/productionChain';
import { lightScrypt } from '@vouch/chain/keystore/deriveKey';
import { sealKeystore } from '@vouch/chain/keystore/keystore';
import { getNonce } from '@vouch/chain/rpc/chainReads';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { vouchProgram } from '../../../bench/harness/serveVouch.ts';

/** Whether the deployment dies before or after the chain receives the transaction. */
type When = 'before' | 'after';

/** Result of a deployment that was killed repeatedly. */
export interface KilledDeployment {
  kills: number;
  /** State in the deployment record at the end. */
  state: string;
  /** For each step: the nonces of all transactions made for the step, and whether the first transaction was mined. */
  steps: { nonces: number[]; firstMined: boolean }[];
  /** Number of transactions that the account has sent, according to the chain. */
  sent: number;
}

/**
 * Deploys the contracts with `vouch contracts deploy --send`, kills the command at each transaction, and starts it again.
 * @param momentsOf returns the moments of the kills at a transaction, by the index of the transaction
 * @throws Error if a run of the command ends with a failure by itself
 */
export async function killDeployment(momentsOf: (place: number) => readonly When[]): Promise<KilledDeployment> {
  const chain = await startProductionChain();
  const folder = await mkdtemp(join(tmpdir(), 'vouch-killed-deployment-'));
  const sent = new Map<string, Set<When>>();
  let kill: () => void = () => {};
  const proxy = await relayTransactions(chain.url, (transaction, when) => {
    if (!sent.has(transaction)) sent.set(transaction, new Set(momentsOf(sent.size)));
    const isMoment = sent.get(transaction)?.delete(when) === true;
    if (isMoment) kill();
    return isMoment;
  });
  try {
    await writeSettings(folder, chain);
    let kills = 0;
    for (;;) {
      const child = spawn(process.execPath, [vouchProgram, 'contracts', 'deploy', 'production.toml', '--key', 'key.json', '--password-file', 'password', '--send'], {
        cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], detached: true,
        env: {
          PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '',
          VOUCH_CHAIN_RPC_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, VOUCH_CONFIRMATIONS: '0',
        },
      });
      let errors = '';
      child.stderr.on('data', (part: Buffer) => { errors += part.toString('utf8'); });
      kill = () => {
        if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
      };
      const [code, signal] = await once(child, 'exit') as [number | null, string | null];
      if (signal === null && code === 0) return await loadOutcome(folder, chain, kills);
      if (signal !== 'SIGKILL') throw new Error(`the deployment ended with ${signal ?? code}: ${errors}`);
      kills += 1;
      if (kills > 100) throw new Error('the deployment does not come to an end');
    }
  } finally {
    proxy.close();
    proxy.closeAllConnections();
    await chain.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeSettings(folder: string, chain: ProductionChain): Promise<void> {
  await writeFile(join(folder, 'key.json'), await sealKeystore(chain.account.privateKey, 'secret', systemInterfaces.random, lightScrypt));
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
}

/**
 * Starts a proxy for a chain's RPC endpoint that reports each transaction: before the chain receives it, and after.
 * @param tell returns whether it killed the sender; a transaction whose sender was killed before never reaches the chain
 */
async function relayTransactions(url: string, tell: (transaction: string, when: When) => boolean): Promise<Server> {
  const proxy = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const transaction = /"eth_sendRawTransaction".*?(0x[0-9a-f]+)/.exec(body)?.[1];
      if (transaction !== undefined && tell(transaction, 'before')) return void response.destroy();
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(async (answer) => {
        const text = await answer.text();
        if (transaction !== undefined) tell(transaction, 'after');
        response.setHeader('content-type', 'application/json').end(text);
      }).catch(() => response.destroy());
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

interface Attempts {
  attempts: { nonce: number; hash: string }[];
  mined: { hash: string } | null;
}

async function loadOutcome(folder: string, chain: ProductionChain, kills: number): Promise<KilledDeployment> {
  const { state, steps } = JSON.parse(await readFile(join(folder, 'production.record.json'), 'utf8')) as { state: string; steps: Attempts[] };
  return {
    kills, state, sent: await getNonce(chain.rpc, chain.account.address),
    steps: steps.map(({ attempts, mined }) => ({ nonces: attempts.map(({ nonce }) => nonce), firstMined: mined !== null && mined.hash === attempts[0]?.hash })),
  };
}
