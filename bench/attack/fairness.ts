import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { median, quantile } from '../harness/interleave.ts';
import { makeKey } from '../harness/makeKey.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';
import { serveVouch, vouchProgram, type ServedVouch } from '../harness/serveVouch.ts';
import { trainCatalogue, uploadCatalogue } from '../harness/uploadCatalogue.ts';
import { connectVouch } from '../harness/vouchClient.ts';
import { startBurner } from '../serving/burner.ts';
import { fetchSourceIds } from '../serving/fetchStream.ts';
import { answered, sent, startFlood, type FloodReport } from './flood.ts';
import { measureOthers } from './measureOthers.ts';
import { kindNames, requestKinds, type RequestKind } from './requestKinds.ts';

/** Measures the requests of one organization alone, and beside another organization that sends 50 times as many, 1.5 times what the server can answer. */

const { values } = parseCommandLine({ options: {
  seconds: { type: 'string', default: '6' }, rounds: { type: 'string', default: '3' }, connections: { type: 'string', default: '200' },
  only: { type: 'string', default: '' }, before: { type: 'string' },
} });
const [seconds, rounds, connections] = [Number(values.seconds), Number(values.rounds), Number(values.connections)];
const shape = { items: 1_000, users: 2_000, interactions: 30_000, seed: 1 };
const modelId = 'fairness';
const factor = 50;
const overload = 1.5;
const kinds = kindNames.filter((kind) => kind.includes(values.only));

interface Side {
  vouch: ServedVouch;
  /** Key of the organization that sends 50 times as many requests. */
  busyKey: string;
  ids: string[];
}

interface Measured {
  alone: number[];
  /** Beside a program of the priority of the flood that uses one processor and sends nothing. */
  loop: number[];
  beside: number[];
  failed: number;
  /** For each request, the answers to the other organization while the request waited. */
  overtaken: number[];
  floods: FloodReport[];
  rate: number;
}

async function start(program: string): Promise<Side> {
  const vouch = await serveVouch({ program, environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'error', VOUCH_TRAIN_NICENESS: '0' } });
  const busyKey = await makeKey(vouch, 'busy', 'admin', program);
  for (const key of [vouch.key, busyKey]) {
    const client = connectVouch(vouch.url, key);
    await uploadCatalogue(client, shape);
    await trainCatalogue(client, modelId, { parameters: { setting: 'default' } });
  }
  return { vouch, busyKey, ids: await fetchSourceIds(vouch.url, vouch.key, modelId, 'item') };
}

/** Rounds of quiet and flooded seconds in turns, so that other programs disturb both. */
async function measure({ vouch: { url, key }, busyKey, ids }: Side, kind: RequestKind): Promise<Measured> {
  const flood = (options: { seconds: number; connections: number; rate?: number }) => startFlood({ url, key: busyKey, kind, modelId, ids, ...options });
  const saturated = await flood({ seconds: 4, connections: 32 });
  const rate = Math.max(2, overload * answered(saturated) / saturated.seconds / factor);
  const random = seededRandom(1);
  const quiet = (period: number) => measureOthers({ url, key, from: '127.0.0.1', seconds: period, rate, next: () => requestKinds[kind](modelId, random.pick(ids)) });
  const measured: Measured = { alone: [], loop: [], beside: [], failed: 0, overtaken: [], floods: [], rate };
  await quiet(2);
  for (let round = 0; round < rounds; round += 1) {
    measured.alone.push(...(await quiet(seconds)).latenciesMs);
    const burner = startBurner(19);
    measured.loop.push(...(await quiet(seconds)).latenciesMs);
    await burner.stop();
    const flooding = flood({ seconds: seconds + 2, connections, rate: Math.ceil(factor * rate) });
    // The process of the flood needs a second to start.
    await sleep(1_500);
    const beside = await quiet(seconds);
    const flooded = await flooding;
    measured.overtaken.push(...beside.spans.map(([from, to]) => flooded.answeredMs.filter((at) => at > from && at < to).length));
    measured.floods.push(flooded);
    measured.beside.push(...beside.latenciesMs);
    measured.failed += beside.failed;
  }
  return measured;
}

function rowOf(kind: RequestKind, who: string, { alone, loop, beside, failed, overtaken, floods, rate }: Measured): (string | number)[] {
  const ratio = (fraction: number, base: readonly number[]): string => (quantile(beside, fraction) / quantile(base, fraction)).toFixed(1);
  const total = floods.reduce((sum, flood) => sum + sent(flood), 0);
  const refused = total - floods.reduce((sum, flood) => sum + answered(flood), 0);
  return [kind, who, rate.toFixed(0), alone.length, quantile(alone, 0.99).toFixed(1), ratio(0.5, alone), ratio(0.99, alone), ratio(0.99, loop), `${median(overtaken)}, ${Math.round(quantile(overtaken, 0.99))}`, failed, `${total} (${refused} refused)`];
}

const rows: (string | number)[][] = [];
for (const [who, program] of [['this checkout', vouchProgram], ...(values.before === undefined ? [] : [['the other', values.before]])] as [string, string][]) {
  const side = await start(program);
  try {
    for (const kind of kinds) {
      rows.push(rowOf(kind, who, await measure(side, kind)));
      console.error(rows.at(-1)?.join(' | '));
    }
  } finally {
    await side.vouch.stop();
  }
}

await reportTable({
  name: 'fairness',
  title: 'One organization beside another that sends 50 times as many requests',
  command: `node --import tsx bench/attack/fairness.ts ${process.argv.slice(2).map((word) => (word === values.before ? '<dist/vouch.js of another checkout>' : word)).join(' ')}`.trim(),
  data: `generated, for each organization: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions; the other organization sends ${overload} times what the server can answer, over ${connections} connections`,
  columns: ['requests', 'program', 'requests/s of the organization', 'measured', 'p99 alone, ms', 'p50 beside / alone', 'p99 beside / alone (goal: 2)', 'p99 beside / beside a loop', 'answers to the other while a request waits: median, p99', 'failed', 'requests of the other'],
  rows: rows.sort(([one = ''], [other = '']) => kindNames.indexOf(one as RequestKind) - kindNames.indexOf(other as RequestKind)),
  notes: [
    `Latencies of ${rounds} rounds of ${seconds} s alone, beside a loop that uses a processor, and beside the other organization, in turns. Loop and load share the processors with the server, at the lowest priority; the second ratio leaves out what their use of the processors costs.`,
  ],
});
