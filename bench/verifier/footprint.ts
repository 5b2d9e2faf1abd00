import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from '@vouch/chain/messages/operation';
import { privateKeyToAddress } from 'viem/accounts';
import { countInMemory, memoryPatterns } from '../../tests/e2e/verifier/world/findSecrets.ts';
import { startMeddlingProxy, type MeddlingProxy, type Traffic } from '../../tests/e2e/verifier/world/meddlingProxy.ts';
import { openNodeWorld, type NodeWorld, type WorldNode } from '../../tests/e2e/verifier/world/openNodeWorld.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';

/** Measures the resources of a node: its start, its memory and its traffic on an idle chain. */

const { values } = parseCommandLine({ options: { starts: { type: 'string', default: '7' }, seconds: { type: 'string', default: '90' } } });
const [starts, quietSeconds] = [Number(values.starts), Number(values.seconds)];

interface Start {
  /** Milliseconds from the start of the process until the gateway receives the first signed message. */
  firstSignature: number;
  /** Start time of an empty program on the same Node, in milliseconds. */
  empty: number;
}

/** A node enters only once, so each measured start uses a different node. */
async function measureStart(world: NodeWorld, node: WorldNode, gateway: MeddlingProxy): Promise<Start> {
  const emptyAt = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'close');
  const empty = performance.now() - emptyAt;
  const before = gateway.heard.length;
  const startedAt = performance.now();
  const running = node.start();
  const first = (): { at: number } | undefined => gateway.heard.slice(before).find(({ path }) => path.includes('send_tx'));
  await world.until('the first signed message', async () => first() !== undefined);
  const firstSignature = (first()?.at ?? NaN) - startedAt;
  await running.stop();
  return { firstSignature, empty };
}

function memoryOf(processId: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? NaN) / 1_024;
}

interface Polling {
  rss: number[];
  rpc: Traffic;
  gateway: Traffic;
  peak: number;
}

function difference(after: Traffic, before: Traffic): Traffic {
  const methods = Object.fromEntries(Object.entries(after.methods).map(([name, count]) => [name, count - (before.methods[name] ?? 0)]).filter(([, count]) => count !== 0));
  return { requests: after.requests - before.requests, calls: after.calls - before.calls, methods, bytesDown: after.bytesDown - before.bytesDown, bytesUp: after.bytesUp - before.bytesUp };
}

/** Measures a node that has entered, on a chain that only produces blocks. */
async function measurePolling(world: NodeWorld, node: WorldNode, rpc: MeddlingProxy, gateway: MeddlingProxy): Promise<Polling> {
  const { processId } = node.start();
  await world.until('active, with commission and claimer', async () => {
    const info = await world.nodeInfo(node.account.address);
    return info.active && info.commissionRate === 500 && info.claimer.toLowerCase() === node.claimer;
  });
  await sleep(5_000);
  const before = [rpc.traffic(), gateway.traffic()] as const;
  const rss: number[] = [];
  for (let second = 0; second < quietSeconds; second += 1) {
    await sleep(1_000);
    rss.push(memoryOf(processId, 'VmRSS'));
  }
  const polling = { rss, rpc: difference(rpc.traffic(), before[0]), gateway: difference(gateway.traffic(), before[1]), peak: memoryOf(processId, 'VmHWM') };
  await node.process?.stop();
  return polling;
}

interface OneCore {
  peak: number;
  /** Seconds from the start until the chain has every vote. */
  seconds: number;
  memory: ReadonlyMap<string, number> | null;
}

/**
 * Measures a node with a standard keystore on one core: the node opens the key, enters, verifies and votes. Also searches the
 * node's memory for secrets.
 */
async function measureOneCore(world: NodeWorld): Promise<OneCore> {
  const privateKey: Hex = `0x${randomBytes(32).toString('hex')}`;
  const password = `password ${randomBytes(12).toString('hex')}`;
  const node = await world.addNode({ privateKey, address: privateKeyToAddress(privateKey).toLowerCase() as Hex }, (file) => ({ ...file, privateKey: null }));
  writeFileSync(join(node.folder, 'password'), password, { mode: 0o600 });
  execFileSync(world.program, ['keystore', 'import', '-keystore-path', 'node.json', '-password-file', 'password'], { cwd: node.folder, input: `${privateKey}\n`, stdio: ['pipe', 'ignore', 'ignore'] });
  const startedAt = performance.now();
  const { processId } = node.start({ under: ['taskset', '-c', '0'], arguments: ['-conf', 'verifier.yaml', '-keystore-path', 'node.json', '-password-file', 'password'] });
  await world.until('active', async () => (await world.nodeInfo(node.account.address)).active);
  const posted = await world.attest('good', 'not a quote', 'forged', 'debugged');
  const ids = new Set(posted.map(({ id }) => id));
  await world.until('its votes', async () => (await world.reports()).votes.filter(({ attestationId, node: voter }) => voter === node.account.address && ids.has(attestationId)).length === posted.length);
  const seconds = (performance.now() - startedAt) / 1_000;
  const memory = countInMemory(processId, memoryPatterns(privateKey, password));
  const peak = memoryOf(processId, 'VmHWM');
  await node.process?.stop();
  return { peak, seconds, memory };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}

const proxies: MeddlingProxy[] = [];
const world = await openNodeWorld({
  nodes: starts + 1, database: 'embedded',
  async file(file) {
    if (proxies.length === 0) proxies.push(await startMeddlingProxy(file.rpcUrls[0] ?? ''), await startMeddlingProxy(file.gatewayUrl ?? ''));
    return { ...file, queryTicker: 5, rpcUrls: [proxies[0]?.url ?? ''], gatewayUrl: proxies[1]?.url ?? '' };
  },
});
try {
  const [rpc, gateway] = proxies as [MeddlingProxy, MeddlingProxy];
  const measured: Start[] = [];
  for (const node of world.nodes.slice(0, starts)) measured.push(await measureStart(world, node, gateway));
  const polling = await measurePolling(world, world.nodes[starts] as WorldNode, rpc, gateway);
  const oneCore = await measureOneCore(world);
  const perMinute = (count: number): string => ((count * 60) / quietSeconds).toFixed(1);
  const down = polling.rpc.bytesDown + polling.gateway.bytesDown;
  const bitsPerSecond = (8 * down) / quietSeconds;
  const first = measured.map(({ firstSignature }) => firstSignature);
  const megabytes = (name: string): number => statSync(join(dirname(world.program), name)).size / 2 ** 20;
  await reportTable({
    name: 'verifier-footprint',
    title: 'What a node takes',
    command: `node --import tsx bench/verifier/footprint.ts ${process.argv.slice(2).join(' ')}`.trim(),
    data: `the built program on a local chain with a block a second and the real gateway; ${starts} starts of nodes that enter, then ${quietSeconds} s of a node that has entered and is asked for nothing, with a look at the chain each 5 s`,
    columns: ['what', 'measured', 'goal'],
    rows: [
      ['bundle', `${megabytes('verifier.mjs').toFixed(2)} MB`, '< 5 MB'],
      ['start to first signed message at the gateway, key in the file: median (most)', `${median(first).toFixed(0)} ms (${Math.max(...first).toFixed(0)} ms)`, '< 1000 ms'],
      ['the same to the start and end of an empty Node program', (median(first) / median(measured.map(({ empty }) => empty))).toFixed(1), ''],
      ['resident memory while polling: median (most)', `${median(polling.rss).toFixed(0)} MB (${Math.max(...polling.rss).toFixed(0)} MB)`, '< 100 MB'],
      ['peak of resident memory since the start', `${polling.peak.toFixed(0)} MB`, '< 2048 MB'],
      ['RPC calls a minute', perMinute(polling.rpc.calls), ''],
      ['HTTP requests for them a minute', perMinute(polling.rpc.requests), ''],
      ['requests to the gateway a minute', perMinute(polling.gateway.requests), ''],
      ['downloaded a minute', `${(Number(perMinute(down)) / 1_024).toFixed(1)} KB`, ''],
      ['uploaded a minute', `${(Number(perMinute(polling.rpc.bytesUp + polling.gateway.bytesUp)) / 1_024).toFixed(1)} KB`, ''],
      ['how often the download fits 4 Mbit/s', (4e6 / bitsPerSecond).toFixed(0), '>= 100'],
      ['on one core, with a standard keystore: start to the last of four votes on the chain', `${oneCore.seconds.toFixed(1)} s`, ''],
      ['the same: peak of resident memory, opening the keystore included', `${oneCore.peak.toFixed(0)} MB`, '< 2048 MB'],
    ],
    notes: [
      `After the votes, the writable memory of the node on one core held: ${oneCore.memory === null ? 'not readable here' : [...oneCore.memory].map(([name, count]) => `${name} ${count}`).join('; ')}. A core dump would hold the same. The key must be there to sign.`,
      `Calls in ${quietSeconds} s: ${Object.entries(polling.rpc.methods).map(([name, count]) => `${name} ${count}`).join(', ')}.`,
    ],
  });
} finally {
  await world.close();
  for (const proxy of proxies) await proxy.close();
}
