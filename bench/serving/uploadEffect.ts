/**
 * The time from the answer to an upload until a list contains its effect, by rows of the file, with the processor time of server and readers, and how long other lists
 * take meanwhile.
 * @example node --import tsx bench/serving/uploadEffect.ts
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree } from '../../tests/crash/harness/processTree.ts';
import { interactionPieces } from '../data/generate.ts';
import { median, quantile } from '../harness/interleave.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { processorSeconds } from '../harness/processorSeconds.ts';
import { reportTable } from '../harness/reportTable.ts';
import { serveVouch, type ServedVouch } from '../harness/serveVouch.ts';
import { connectVouch, expectStatus, type VouchClient } from '../harness/vouchClient.ts';

const { values } = parseCommandLine({ options: { rounds: { type: 'string', default: '9' }, interactions: { type: 'string', default: '250000' } } });
const rounds = Number(values.rounds);
const shape = { items: 20_000, users: 50_000, interactions: Number(values.interactions), seed: 1 };
const sizes = [1, 1_000, 30_000, 300_000];
const modelId = 'bench';

interface Effect {
  /** From the answer to the upload until the list, in ms. */
  listed: number;
  /** Processor time of the server and its readers in the same time, in ms. */
  processor: number;
  /** Times of other lists meanwhile, in ms. */
  others: number[];
}

/** Rows of users who have ten interactions each; the last row is of the visitor. */
function* rowsOf(count: number, visitor: string): Generator<string> {
  yield 'type,source_id,target_id,timestamp,metadata\n';
  for (let row = 1; row < count; row += 1) yield `view,u${Math.floor(row / 10)},i${(row * 7_919) % shape.items},2026-01-01T00:00:00Z,\n`;
  yield `view,${visitor},i7,,\n`;
}

const secondsOf = (processId: number): number => processTree(processId).reduce((sum, each) => sum + processorSeconds(each.processId), 0);
const listOf = (client: VouchClient, id: string) => client.get(`/v1/recommender/related_items?model_id=${modelId}&entity_id=${id}&max_recommendations=10`);

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function measure(vouch: ServedVouch, client: VouchClient, rows: number, visitor: string): Promise<Effect> {
  expectStatus(await client.upload([{ name: 'rows.csv', content: rowsOf(rows, visitor) }]), 201);
  const [started, before, others] = [performance.now(), secondsOf(vouch.processId), [] as number[]];
  while ((await listOf(client, visitor)).status !== 200) {
    others.push(await timeOf(() => listOf(client, `u${others.length % shape.users}`)));
    await sleep(2);
  }
  return { listed: performance.now() - started, processor: 1_000 * (secondsOf(vouch.processId) - before), others };
}

const vouch = await serveVouch({ environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn' } });
const client = connectVouch(vouch.url, vouch.key);
try {
  expectStatus(await client.upload([{ name: 'interactions.csv', content: interactionPieces(shape) }]), 201);
  await client.train(modelId);
  const idle: number[] = [];
  for (let at = 0; at < 300; at += 1) idle.push(await timeOf(() => listOf(client, `u${at}`)));
  const measured = new Map<number, Effect[]>(sizes.map((rows) => [rows, []]));
  for (let round = 0; round < rounds; round += 1) for (const rows of sizes) measured.get(rows)?.push(await measure(vouch, client, rows, `visitor ${rows} ${round}`));
  const format = (times: readonly number[]): string => `p50 ${median(times).toFixed(0)}, max ${Math.max(...times).toFixed(0)}`;
  await reportTable({
    name: 'upload-effect',
    title: 'Uploads in histories',
    command: `node --import tsx bench/serving/uploadEffect.ts ${process.argv.slice(2).join(' ')}`.trim(),
    data: `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions, seed ${shape.seed}; files of users with ten interactions each`,
    columns: ['rows of the file', 'ms from the answer 201 to the list', 'ms of the processor', 'ms of other lists meanwhile: p50, p99'],
    rows: [...measured].map(([rows, effects]) => {
      const others = effects.flatMap((effect) => effect.others);
      return [String(rows), format(effects.map(({ listed }) => listed)), format(effects.map(({ processor }) => processor)), `${median(others).toFixed(1)}, ${quantile(others, 0.99).toFixed(1)}`];
    }),
    notes: [`${rounds} rounds, which alternate the sizes; all files stay in memory. Before the uploads, lists took ${median(idle).toFixed(1)} ms (p50) and ${quantile(idle, 0.99).toFixed(1)} ms (p99). The client runs on the same processors.`,
      'A reader takes about 250 ms of the processor to start, and 3.5 s per million rows.'],
  });
} finally {
  await vouch.stop();
}
