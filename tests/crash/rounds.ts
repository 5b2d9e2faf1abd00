import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { parseCommandLine, parseWholeNumber, stopCommand } from '../../bench/harness/parseCommandLine.ts';
import { eventSubject } from './harness/eventSubject.ts';
import { runInterruptibly } from './harness/interruption.ts';
import { isClean, killLoop, type CrashReport, type CrashSubject } from './harness/killLoop.ts';
import { createLedger } from './harness/ledger.ts';
import { killMixedWork } from './harness/mixedRounds.ts';
import { clientOf, makePlace, removePlace, roundsShape, startServe, stopService, uploadCatalogue } from './harness/place.ts';
import { killSomething } from './harness/victims.ts';
import { trainingSubject, uploadSubject, type VouchPlace } from './harness/vouchSubjects.ts';

// Repeatedly kills `vouch serve`, its PostgreSQL, a `vouch worker` or all of them with SIGKILL under load, and compares the
// acknowledged work with the existing work.
// `mixed`, the default, uploads, trains, summarizes and cancels continuously through all rounds. The other kinds kill server and
// PostgreSQL under one kind of work, whose jobs end before the next kill. A round takes about 12 s, or 4 s with uploads alone.
// Needs Linux.

const usage = 'usage: node --import tsx tests/crash/rounds.ts [--rounds 100] [--seed 1] [--work mixed|uploads|trainings|events]';
const { values } = parseCommandLine({
  options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' }, work: { type: 'string', default: 'mixed' } },
}, usage);
const rounds = parseWholeNumber('rounds', values.rounds, 1, usage);
const seed = parseWholeNumber('seed', values.seed, 0, usage);
if (!['mixed', 'uploads', 'trainings', 'events'].includes(values.work)) stopCommand(`--work must be mixed, uploads, trainings or events, not "${values.work}".`, usage);

/** Approximate duration of a training of the catalogue on two free cores. */
const trainingMs = 4_000;
const uploadMs = 4_000;
const eventsMs = 2_000;
/** Trainings and runs share the CPU, so one piece of work takes longer than this interval and is hit by several kills. */
const mixedMs = 10_000;

async function killUploads(count: number): Promise<CrashReport> {
  return withPlace((place) => run('uploads', uploadSubject(place), count, uploadMs));
}

async function killEvents(count: number): Promise<CrashReport> {
  return withPlace((place) => run('events', eventSubject(place), count, eventsMs));
}

async function killTrainings(count: number): Promise<CrashReport> {
  return withPlace(async (place) => {
    const service = await startServe(place);
    try {
      await uploadCatalogue(clientOf(place), roundsShape);
      await clientOf(place).train('previous');
    } finally {
      await stopService(service);
    }
    const subject = trainingSubject(place, 'previous', 'i0');
    const ends = new Map<string, number>();
    const fetchEffects = async () => {
      const effects = await subject.fetchEffects();
      ends.clear();
      for (const { effect } of effects) ends.set(effect, (ends.get(effect) ?? 0) + 1);
      return effects;
    };
    const report = await run('trainings', { ...subject, fetchEffects }, count, trainingMs);
    console.log(`trainings ended: ${[...ends].map(([how, times]) => `${times} ${how}`).join('; ')}`);
    return report;
  });
}

async function run<Effect>(what: string, subject: CrashSubject<Effect>, count: number, longestMs: number): Promise<CrashReport> {
  const started = performance.now();
  const report = await killLoop({ ...subject, kill: killSomething }, createLedger<Effect>(), {
    rounds: count, seed, killAfterMs: { from: 200, to: longestMs }, timers: systemInterfaces.timers,
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

/**
 * Runs the mixed rounds.
 * @returns whether no work was lost, duplicated or abandoned
 */
async function killMixed(): Promise<boolean> {
  const started = performance.now();
  const report = await killMixedWork({
    rounds, seed, killAfterMs: { from: 200, to: mixedMs },
    onRound: (round, victim, acknowledged) => console.log(`  round ${round}: ${victim} killed, ${acknowledged} acknowledged`),
  });
  const { kills, acknowledged, ends, repeated, mostAttempts, lost, doubled, abandoned, faults } = report;
  console.log(`mixed: ${rounds} rounds in ${Math.round((performance.now() - started) / 1_000)} s; killed: ${list(kills)}; acknowledged: ${list(acknowledged)}`);
  console.log(`jobs ended: ${list(ends)}; ${repeated} begun more than once, at most ${mostAttempts} times`);
  console.log(`${lost.length} lost, ${doubled.length} doubled, ${abandoned.length} abandoned, ${faults.length} other faults`);
  const found = Object.entries({ lost, doubled, abandoned, fault: faults }).flatMap(([what, lines]) => lines.map((line) => `${what}: ${line}`));
  for (const line of found.slice(0, 40)) console.log(`  ${line}`);
  return found.length === 0;
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts).map(([what, count]) => `${count} ${what}`).join(', ');
}

async function killChosen(): Promise<boolean> {
  if (values.work === 'mixed') return await killMixed();
  return isClean(await (values.work === 'uploads' ? killUploads(rounds) : values.work === 'events' ? killEvents(rounds) : killTrainings(rounds)));
}

await runInterruptibly(async () => {
  process.exitCode = (await killChosen()) ? 0 : 1;
});
