import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { interactionPieces } from '../data/generate.ts';
import { interleave, median, medianInterval, type RatioReport } from '../harness/interleave.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';
import { serveVouch } from '../harness/serveVouch.ts';
import { connectVouch, expectStatus, type VouchClient } from '../harness/vouchClient.ts';
import { runLoad, type LoadRequest } from './load.ts';
import { runPacedLoad, type PacedReport } from './pacedLoad.ts';
import { readBodies } from './readBodies.ts';
import { readSourceIds } from './readStream.ts';
import { startMemoryServer } from './startMemoryServer.ts';

/** p99 at half of the saturation rate while a model is trained and replaced, against idle. */

type Load = Omit<LoadRequest, 'seed'>;

const modelId = 'bench';
/** A training that takes longer is loaded only for as long. */
const maximumSeconds = 600;
const afterEndMs = 1_000;

interface Comparison {
  p99: RatioReport;
  /** p99 of how late the generator sent, in ms. */
  lateness: { idle: number; training: number };
}

/** Compares the p99 of a target during trainings with that without. The load covers whole trainings and the swap at their end. */
async function compare(client: VouchClient, load: Load, rate: number, rounds: number): Promise<Comparison> {
  let seed = 1_000;
  const lateness = { idle: [] as number[], training: [] as number[] };
  const p99 = await interleave({
    rounds,
    warmup: 0,
    ours: async () => {
      let ended = false;
      const report = runPacedLoad({ ...load, seconds: maximumSeconds, seed: seed++, rate, ended: () => ended });
      const { p99Ms, latenessP99Ms } = await duringTraining(client, report, () => { ended = true; });
      lateness.training.push(latenessP99Ms);
      return p99Ms;
    },
    theirs: async () => {
      const { p99Ms, latenessP99Ms } = await runPacedLoad({ ...load, seed: seed++, rate });
      lateness.idle.push(latenessP99Ms);
      return p99Ms;
    },
  });
  return { p99, lateness: { idle: median(lateness.idle), training: median(lateness.training) } };
}

/** Trains while a load runs, and ends the load a second after the training. */
async function duringTraining(client: VouchClient, load: Promise<PacedReport>, end: () => void): Promise<PacedReport> {
  // A load that fails ends the wait below with its own error.
  load.catch(() => undefined);
  try {
    const trained = await Promise.race([client.train(modelId), load.then(() => null)]);
    if (trained !== null && trained.status !== 'completed') throw new Error(`the training ended with ${trained.status}`);
    await sleep(afterEndMs);
  } finally {
    end();
  }
  return load;
}

function readArguments(): Record<string, string> {
  const option = (value: string): { type: 'string'; default: string } => ({ type: 'string', default: value });
  return parseArgs({
    options: {
      items: option('20000'), users: option('50000'), interactions: option('250000'), seed: option('1'),
      rounds: option('3'), seconds: option('8'),
    },
  }).values as Record<string, string>;
}

function rowsOf(ours: Comparison, theirs: Comparison, rate: number): (string | number)[][] {
  const beyond = ours.p99.ratios.map((ratio, round) => ratio / (theirs.p99.ratios[round] as number));
  const values = (training: number, idle: number): string => `${training.toFixed(1)} and ${idle.toFixed(1)} ms`;
  return [
    ['p99 during a training / idle', formatRatio(ours.p99), '<= 1.5', `${values(ours.p99.ours, ours.p99.theirs)} at ${rate} requests/s`],
    ['the same of the yardstick', formatRatio(theirs.p99), '', `${values(theirs.p99.ours, theirs.p99.theirs)} at ${rate} requests/s`],
    ['ours beyond the yardstick', formatRatio({ ratio: median(beyond), ...medianInterval(beyond) }), '', 'the first divided by the second'],
    ['p99 of the generator\'s lateness', (ours.lateness.training / ours.lateness.idle).toFixed(2), '',
      `${values(ours.lateness.training, ours.lateness.idle)}; counted in the latencies above`],
  ];
}

async function main(): Promise<void> {
  const values = readArguments();
  const number = (name: string): number => Number(values[name]);
  const shape = { items: number('items'), users: number('users'), interactions: number('interactions'), seed: number('seed') };
  const vouch = await serveVouch({ environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn' } });
  const { url, key } = vouch;
  const client = connectVouch(url, key);
  try {
    expectStatus(await client.upload([{ name: 'interactions.csv', content: interactionPieces(shape) }]), 201);
    const { status, error } = await client.train(modelId);
    if (status !== 'completed') throw new Error(`the training ended with ${status}: ${error?.detail}`);
    const load = { url, key, modelId, ids: await readSourceIds(url, key, modelId), seconds: number('seconds') };
    const yardstick = await startMemoryServer(await readBodies(load));
    try {
      const { requestsPerSecond } = await runLoad({ ...load, seed: 1 });
      const rate = Math.floor(requestsPerSecond / 2);
      const ours = await compare(client, load, rate, number('rounds'));
      const theirs = await compare(client, { ...load, url: yardstick.url }, rate, number('rounds'));
      await reportTable({
        name: 'serving-during-training',
        title: 'Serving recommendations during a training',
        command: `node --import tsx bench/serving/duringTraining.ts ${process.argv.slice(2).join(' ')}`.trim(),
        data: `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions, seed ${shape.seed}`,
        columns: ['what', 'ratio (95 %)', 'goal', 'values'],
        rows: rowsOf(ours, theirs, rate),
        notes: [
          'Load: at even distances, half as many requests a second as 32 connections without pause take; latency counts from ' +
            'the moment a request was due. It lasts through whole trainings of the model that is asked, and a second longer, so ' +
            'the moment of its replacement is in it. Yardstick: a Fastify route that sends the same bytes from memory, at the ' +
            'same rate beside the same trainings: what it loses is lost to the processors that all share, generator included.',
        ],
      });
    } finally {
      await yardstick.stop();
    }
  } finally {
    await vouch.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
