import { parseArgs } from 'node:util';
import { realDoors } from '@vouch/platform/process/doors';
import { isClean, killLoop, type CrashReport, type CrashSubject } from './harness/killLoop.ts';
import { createLedger } from './harness/ledger.ts';
import { clientOf, makePlace, removePlace, startServe, stopService, uploadCatalogue } from './harness/place.ts';
import { killSomething } from './harness/victims.ts';
import { trainingSubject, uploadSubject, type VouchPlace } from './harness/vouchSubjects.ts';

// Kills `vouch serve`, its PostgreSQL or everything with SIGKILL, many times, under uploads and under trainings, and compares
// what was acknowledged with what is there.
// Usage: node --import tsx tests/crash/rounds.ts [--rounds 100] [--seed 1] [--work uploads|trainings]
// Without --work every fourth round is under trainings. A round takes about 4 s under uploads and 10 s under trainings. Needs Linux.

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' }, work: { type: 'string', default: 'both' } },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed);
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) throw new Error('--rounds and --seed are whole numbers');
if (!['uploads', 'trainings', 'both'].includes(values.work)) throw new Error('--work is uploads or trainings');

/** A training of the catalogue takes about this long on two free cores. */
const trainingMs = 4_000;
const uploadMs = 4_000;

async function killUploads(count: number): Promise<CrashReport> {
  return withPlace((place) => run('uploads', uploadSubject(place), count, uploadMs));
}

async function killTrainings(count: number): Promise<CrashReport> {
  return withPlace(async (place) => {
    const service = await startServe(place);
    try {
      await uploadCatalogue(clientOf(place));
      await clientOf(place).train('previous');
    } finally {
      await stopService(service);
    }
    const subject = trainingSubject(place, 'previous', 'i0');
    const ends = new Map<string, number>();
    const readEffects = async () => {
      const effects = await subject.readEffects();
      ends.clear();
      for (const { effect } of effects) ends.set(effect, (ends.get(effect) ?? 0) + 1);
      return effects;
    };
    const report = await run('trainings', { ...subject, readEffects }, count, trainingMs);
    console.log(`trainings ended: ${[...ends].map(([how, times]) => `${times} ${how}`).join('; ')}`);
    return report;
  });
}

async function run<Effect>(what: string, subject: CrashSubject<Effect>, count: number, longestMs: number): Promise<CrashReport> {
  const started = performance.now();
  const report = await killLoop({ ...subject, kill: killSomething }, createLedger<Effect>(), {
    rounds: count, seed, killAfterMs: { from: 200, to: longestMs }, startTimeoutMs: 90_000, timers: realDoors.timers,
    onRound: (round, { acknowledged, present }) => {
      if (round % 10 === 0) console.log(`  ${what}: round ${round}, ${acknowledged} acknowledged, ${present} there`);
    },
  });
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(
    `${what}: ${report.kills} kills in ${seconds} s, ${report.acknowledged} acknowledged, ${report.lost.length} lost, ` +
      `${report.twice.length} doubled, ${report.faulty.length} not whole, ${report.unknown.length} unasked`,
  );
  for (const line of [...report.lost, ...report.twice, ...report.faulty, ...report.unknown].slice(0, 20)) console.log(`  ${line}`);
  return report;
}

async function withPlace(work: (place: VouchPlace) => Promise<CrashReport>): Promise<CrashReport> {
  const place = await makePlace();
  try {
    return await work(place);
  } finally {
    await removePlace(place);
  }
}

const trainings = { uploads: 0, trainings: rounds, both: Math.floor(rounds / 4) }[values.work] ?? 0;
const reports: CrashReport[] = [];
if (rounds > trainings) reports.push(await killUploads(rounds - trainings));
if (trainings > 0) reports.push(await killTrainings(trainings));
process.exitCode = reports.every(isClean) ? 0 : 1;
