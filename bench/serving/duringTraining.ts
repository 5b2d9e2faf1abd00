import { setTimeout as sleep } from 'node:timers/promises';
import { Value } from 'typebox/value';
import { findTraining } from '../../tests/crash/harness/processTree.ts';
import { recommenderSettings } from '../../packages/recommender/config/recommenderSettings.ts';
import { interactionPieces } from '../data/generate.ts';
import { median, medianInterval } from '../harness/interleave.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';
import { serveVouch } from '../harness/serveVouch.ts';
import { connectVouch, expectStatus, type VouchClient } from '../harness/vouchClient.ts';
import { alternate, type Alternation, type Disturbance } from './alternate.ts';
import { startBurner } from './burner.ts';
import { runLoad, type LoadRequest } from './load.ts';
import type { PacedReport } from './pacedLoad.ts';
import { fetchBodies } from './fetchBodies.ts';
import { fetchSourceIds } from './fetchStream.ts';
import { startMemoryServer } from './startMemoryServer.ts';
import { startWorker } from './startWorker.ts';

/** Compares the p99 latency at half of the saturation rate during a training and its model replacement with the idle p99. */

type Load = Omit<LoadRequest, 'seed'>;

const modelId = 'bench';

const situations = ['training', 'burner', 'yardstick'] as const;
type Situation = (typeof situations)[number];
type Reports = Record<Situation, Alternation[]>;

interface Plan {
  rounds: number;
  /** Niceness of the training and of the loop. */
  niceness: number;
}

const defaultNiceness = Value.Create(recommenderSettings.properties.train_niceness);

/**
 * Loads in alternation: our server during a training, our server beside a CPU loop, and the reference server beside a CPU loop.
 * Each load is half of our server's saturation rate at that moment, because the same machine reached 14,100 to 28,400 requests/s
 * within minutes. One training with its load comes first as a warm-up: until a process has served other routes, it runs code
 * compiled for the loaded route only, and discards that code at the first request to a different route. The loop runs as long as
 * the warm-up training.
 * @param trainer id of the process that starts trainings
 */
async function measureRounds(client: VouchClient, trainer: number, load: Load, yardstick: Load, { rounds, niceness }: Plan): Promise<Reports> {
  let seed = 1_000;
  let loopMs = 0;
  const beside = async (target: Load, disturb: () => Disturbance): Promise<Alternation> => {
    const { requestsPerSecond } = await runLoad({ ...load, seed: seed++ });
    return alternate({ ...target, seed: seed++, rate: Math.floor(requestsPerSecond / 2) }, disturb);
  };
  const run: Record<Situation, () => Promise<Alternation>> = {
    training: () => beside(load, () => ({ done: train(client), processId: () => findTraining(trainer)?.processId })),
    burner: () => beside(load, () => loopFor(loopMs, niceness)),
    yardstick: () => beside(yardstick, () => loopFor(loopMs, niceness)),
  };
  const startedMs = performance.now();
  await run.training();
  loopMs = performance.now() - startedMs;
  const reports: Reports = { training: [], burner: [], yardstick: [] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? situations : situations.toReversed();
    for (const situation of order) reports[situation].push(await run[situation]());
  }
  return reports;
}

async function train(client: VouchClient): Promise<void> {
  const { status, error } = await client.train(modelId);
  if (status !== 'completed') throw new Error(`the training ended with ${status}: ${error?.detail}`);
}

/** Starts the CPU loop for a load that is compared with the load during a training. */
function loopFor(milliseconds: number, niceness: number): Disturbance {
  const burner = startBurner(niceness);
  return { done: sleep(milliseconds, undefined, { ref: false }).then(() => burner.stop()), processId: () => burner.processId };
}

function parseArguments(): Record<string, string> {
  const option = (value: string): { type: 'string'; default: string } => ({ type: 'string', default: value });
  return parseCommandLine({
    options: {
      items: option('20000'), users: option('50000'), interactions: option('250000'), seed: option('1'),
      rounds: option('3'), seconds: option('3'), worker: option('inside'), niceness: option(String(defaultNiceness)),
    },
  }).values as Record<string, string>;
}

function rowsOf(reports: Reports): string[][] {
  const row = (what: string, situation: Situation, figure: (report: PacedReport) => number, goal = ''): string[] => {
    const pairs = reports[situation].map(({ idle, disturbed }) => ({ idle: figure(idle), disturbed: figure(disturbed) }));
    const ratios = pairs.map(({ idle, disturbed }) => disturbed / idle);
    const values = pairs.map(({ idle, disturbed }) => `${disturbed.toFixed(1)} / ${idle.toFixed(1)}`).join(', ');
    return [what, formatRatio({ ratio: median(ratios), ...medianInterval(ratios) }), goal, values];
  };
  const p99 = (report: PacedReport): number => report.p99Ms;
  return [
    row('p99 during a training / idle', 'training', p99, '<= 1.5'),
    row('p50 during a training / idle', 'training', (report) => report.p50Ms),
    row('p99 beside a loop of equal priority / idle', 'burner', p99),
    row('yardstick: p99 beside the loop / idle', 'yardstick', p99),
    row('p99 of the generator\'s lateness, training / idle', 'training', (report) => report.latenessP99Ms),
  ];
}

async function main(): Promise<void> {
  const values = parseArguments();
  const number = (name: string): number => Number(values[name]);
  const shape = { items: number('items'), users: number('users'), interactions: number('interactions'), seed: number('seed') };
  const apart = values['worker'] === 'apart';
  const niceness = number('niceness');
  const vouch = await serveVouch({
    environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn', VOUCH_TRAIN_NICENESS: String(niceness) }, arguments: apart ? ['--no-worker'] : [],
  });
  const worker = apart ? await startWorker(vouch) : null;
  const { url, key } = vouch;
  const client = connectVouch(url, key);
  try {
    expectStatus(await client.upload([{ name: 'interactions.csv', content: interactionPieces(shape) }]), 201);
    await train(client);
    const load = { url, key, modelId, ids: await fetchSourceIds(url, key, modelId), seconds: number('seconds') };
    const yardstick = await startMemoryServer(await fetchBodies(load));
    try {
      const reports = await measureRounds(client, worker?.processId ?? vouch.processId, load, { ...load, url: yardstick.url }, { rounds: number('rounds'), niceness });
      await reportTable({
        name: `serving-during-training${apart ? '-apart' : ''}${niceness === defaultNiceness ? '' : `-niceness-${niceness}`}`,
        title: `Serving recommendations during a training${apart ? ' by a worker of its own' : ''}`,
        command: `node --import tsx bench/serving/duringTraining.ts ${process.argv.slice(2).join(' ')}`.trim(),
        data: `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions, seed ${shape.seed}`,
        columns: ['what', 'ratio (95 %)', 'goal', 'ms in each round'],
        rows: rowsOf(reports),
        notes: [
          'Load: at even distances, half as many requests a second as 32 connections without pause took just before; latency ' +
            'counts from the moment a request was due, the generator\'s own lateness included. It lasts through the whole ' +
            'training of the model that is asked, and a second longer, so the moment of its replacement is in it. The training ' +
            'runs for 5 s and is stopped for 5 s in turns; what is due while it is stopped, or before it, counts as idle, except ' +
            'the first second, in which the server catches up. One training with its load comes before the counted rounds.',
          'The loop is a process that only counts, started with the priority of a training: what it costs is what the ' +
            'scheduler takes for sharing two processors with server and generator, whatever the other program does. ' +
            'Yardstick: a Fastify route that sends the same bytes from memory.',
        ],
      });
    } finally {
      await yardstick.stop();
    }
  } finally {
    await worker?.stop();
    await vouch.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
