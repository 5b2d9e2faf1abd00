import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { interactionPieces } from '../data/generate.ts';
import { median, medianInterval } from '../harness/interleave.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';
import { serveVouch } from '../harness/serveVouch.ts';
import { connectVouch, expectStatus, type VouchClient } from '../harness/vouchClient.ts';
import { besideBurner } from './burner.ts';
import { runLoad, type LoadRequest } from './load.ts';
import { runPacedLoad, type PacedReport } from './pacedLoad.ts';
import { readBodies } from './readBodies.ts';
import { readSourceIds } from './readStream.ts';
import { startMemoryServer } from './startMemoryServer.ts';
import { startWorker } from './startWorker.ts';

/** p99 at half of the saturation rate while a model is trained and replaced, against idle. */

type Load = Omit<LoadRequest, 'seed'>;

const modelId = 'bench';
/** A training that takes longer is loaded only for as long. */
const maximumSeconds = 600;
const afterEndMs = 1_000;
/** Load before what is counted, see there. */
const leadSeconds = 2;

const situations = ['idle', 'training', 'burner', 'yardstick idle', 'yardstick burner'] as const;
type Situation = (typeof situations)[number];
type Reports = Record<Situation, PacedReport[]>;

/**
 * Loads our server and the yardstick in each situation, in turns, so that whatever else slows the machine down slows all of
 * them. One whole training with its load comes before: until a process has answered other routes than the loaded one, it
 * runs code that was compiled for that one alone, and gives it all up at the first other request. Every other load lasts as
 * long as that one: a full collection comes once in some 20 s and slows 1 % of as many requests, so short loads mostly miss it.
 */
async function measureRounds(client: VouchClient, load: Load, yardstick: Load, rate: number, rounds: number): Promise<Reports> {
  let seed = 1_000;
  let seconds = 0;
  const paced = (target: Load): Promise<PacedReport> => runPacedLoad({ ...target, seconds, seed: seed++, rate, leadSeconds });
  const run: Record<Situation, () => Promise<PacedReport>> = {
    idle: () => paced(load),
    training: () => {
      let ended = false;
      const report = runPacedLoad({ ...load, seconds: maximumSeconds, seed: seed++, rate, leadSeconds, ended: () => ended });
      return duringTraining(client, report, () => { ended = true; });
    },
    burner: () => besideBurner(() => paced(load)),
    'yardstick idle': () => paced(yardstick),
    'yardstick burner': () => besideBurner(() => paced(yardstick)),
  };
  const startedMs = performance.now();
  await run.training();
  seconds = (performance.now() - startedMs) / 1000 - leadSeconds;
  for (const situation of ['idle', 'yardstick idle'] as const) await run[situation]();
  const reports: Reports = { idle: [], training: [], burner: [], 'yardstick idle': [], 'yardstick burner': [] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? situations : situations.toReversed();
    for (const situation of order) reports[situation].push(await run[situation]());
  }
  return reports;
}

/** Trains while a load runs, and ends the load a second after the training. */
async function duringTraining(client: VouchClient, load: Promise<PacedReport>, end: () => void): Promise<PacedReport> {
  // A load that fails ends the wait below with its own error.
  load.catch(() => undefined);
  try {
    await sleep(1000 * leadSeconds);
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
      rounds: option('3'), seconds: option('8'), worker: option('inside'),
    },
  }).values as Record<string, string>;
}

function rowsOf(reports: Reports, rate: number): (string | number)[][] {
  const row = (what: string, value: (report: PacedReport) => number, one: Situation, other: Situation, goal = ''): (string | number)[] => {
    const [ours, theirs] = [reports[one].map(value), reports[other].map(value)];
    const ratios = ours.map((milliseconds, round) => milliseconds / (theirs[round] as number));
    const ratio = formatRatio({ ratio: median(ratios), ...medianInterval(ratios) });
    return [what, ratio, goal, `${median(ours).toFixed(1)} and ${median(theirs).toFixed(1)} ms`];
  };
  const p99 = (report: PacedReport): number => report.p99Ms;
  const p50 = (report: PacedReport): number => report.p50Ms;
  return [
    [...row('p99 during a training / idle', p99, 'training', 'idle', '<= 1.5').slice(0, 3),
      `${row('', p99, 'training', 'idle')[3]} at ${rate} requests/s`],
    row('p50 during a training / idle', p50, 'training', 'idle'),
    row('p99 beside a loop of equal priority / idle', p99, 'burner', 'idle'),
    row('p99 during a training / beside the loop', p99, 'training', 'burner'),
    row('yardstick: p99 beside the loop / idle', p99, 'yardstick burner', 'yardstick idle'),
    row('p99 of the generator\'s lateness, training / idle', (report) => report.latenessP99Ms, 'training', 'idle'),
  ];
}

async function main(): Promise<void> {
  const values = readArguments();
  const number = (name: string): number => Number(values[name]);
  const shape = { items: number('items'), users: number('users'), interactions: number('interactions'), seed: number('seed') };
  const apart = values['worker'] === 'apart';
  const vouch = await serveVouch({
    environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn' }, arguments: apart ? ['--no-worker'] : [],
  });
  const worker = apart ? await startWorker(vouch) : null;
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
      const reports = await measureRounds(client, load, { ...load, url: yardstick.url }, rate, number('rounds'));
      await reportTable({
        name: `serving-during-training${apart ? '-apart' : ''}`,
        title: `Serving recommendations during a training${apart ? ' by a worker of its own' : ''}`,
        command: `node --import tsx bench/serving/duringTraining.ts ${process.argv.slice(2).join(' ')}`.trim(),
        data: `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions, seed ${shape.seed}`,
        columns: ['what', 'ratio (95 %)', 'goal', 'values'],
        rows: rowsOf(reports, rate),
        notes: [
          'Load: at even distances, half as many requests a second as 32 connections without pause take; latency counts from ' +
            'the moment a request was due, the generator\'s own lateness included. During a training it lasts through the whole ' +
            'training of the model that is asked, and a second longer, so the moment of its replacement is in it; the other loads ' +
            'last as long. The first two seconds of each load are not counted, and one training and one idle run come before the ' +
            'counted rounds.',
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
