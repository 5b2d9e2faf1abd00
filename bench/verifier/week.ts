import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openLog } from '../../packages/verifier/logging/openLog.ts';
import { NodeWorld } from '../../packages/verifier/testing/nodeWorld.ts';
import { startMeddlingProxy } from '../../tests/e2e/verifier/world/meddlingProxy.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';
import { SimulatedTime, stepMs } from './simulatedTime.ts';

/** Measures the disk usage of a node over a simulated week of polling the chain and reporting. */

const { values } = parseCommandLine({ options: { days: { type: 'string', default: '7' } } });
const days = Number(values.days);
const stepsPerDay = 86_400_000 / stepMs;
/** Steps between two posts: three attestations every half hour, with the node chosen for all of them. */
const stepsPerPost = 1_800_000 / stepMs;

function filesBelow(folder: string): { bytes: number; count: number } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(folder, name))).filter((stats) => stats.isFile());
  return { bytes: files.reduce((sum, { size }) => sum + size, 0), count: files.length };
}

const time = new SimulatedTime();
const world = await NodeWorld.open({ operators: 1 });
const proxy = await startMeddlingProxy(world.chain.url);
const gateway = await startMeddlingProxy(world.gateway.url);
try {
  const [account] = world.chain.operators;
  const settings = world.configuration();
  const logs = join(world.folder, 'node.log');
  const log = openLog({ format: 'human', level: 'info', path: logs }, process.stderr);
  const node = await world.start(account!, {
    chain: { ...settings.chain, rpcUrls: [proxy.url] }, sending: { through: 'gateway', url: gateway.url, version: null },
  }, { system: time.system, log });
  const underWay = (): number => proxy.underWay() + gateway.underWay();
  const rows: (string | number)[][] = [];
  const measure = (day: number): void => {
    const kept = filesBelow(node.folder);
    const counts = node.state()?.counts;
    rows.push([day, counts?.chosen ?? 0, counts?.reported ?? 0, counts?.missed ?? 0, kept.count, (kept.bytes / 1_024).toFixed(0), (statSync(logs).size / 1_024).toFixed(0)]);
  };
  for (let step = 1; step <= days * stepsPerDay; step += 1) {
    await time.step(underWay);
    await world.chain.rpc.batch([{ method: 'evm_setTime', params: [Math.floor(time.now / 1_000)] }, { method: 'evm_mine', params: [] }]);
    // The first post comes only after half an hour, because the node must have entered before.
    if (step % stepsPerPost === 0) await world.attest('good', 'good', 'forged');
    if (step % 200 === 0) console.error(`${(performance.now() / 1_000).toFixed(0)} s: step ${step}, ${proxy.traffic().calls} calls, head ${new Date(time.now).toISOString()}`);
    if (step % stepsPerDay !== 0) continue;
    measure(step / stepsPerDay);
    console.error(`day ${step / stepsPerDay}: ${rows.at(-1)?.join(', ')}`);
  }
  const traffic = proxy.traffic();
  await reportTable({
    name: 'verifier-week',
    title: 'What a node keeps in a week',
    command: `node --import tsx bench/verifier/week.ts ${process.argv.slice(2).join(' ')}`.trim(),
    data: `${days} days of a moved clock, a look at the chain and a block every two minutes (${traffic.calls} RPC calls), three attestations each half hour, for all of which the node is chosen`,
    columns: ['day', 'chosen so far', 'reported', 'missed', 'files', 'state, KB', 'log, KB'],
    rows,
    notes: ['The goal is below 100 MB and not growing. State keeps 500 attestations that ended, with their texts; the log ends at 20 MB.'],
  });
} finally {
  await world.close();
  await proxy.close();
  await gateway.close();
}
