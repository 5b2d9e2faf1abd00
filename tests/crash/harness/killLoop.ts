import type { Timers } from '@vouch/platform/process/doors';
import { seededRandom, type SeededRandom } from '../../../packages/recommender/sample/seededRandom.ts';
import { checkLedger, type Ledger, type Verdict } from './ledger.ts';
import { startService, type Service, type ServiceCommand } from './service.ts';

/** How one system under test is driven, and asked afterwards what is there. */
export interface CrashSubject<Effect> {
  command: ServiceCommand;
  /** Resolves when the service takes requests; called after every start. Rejects once the signal aborts. */
  untilReady(signal: AbortSignal): Promise<void>;
  /**
   * Sends work until the signal aborts. Before a request leaves it is `begin`-ed; once the service has said that it is
   * done it is `acknowledge`d. Requests that fail are what a crash brings, and are no failure of the drive.
   */
  drive(ledger: Ledger<Effect>, random: SeededRandom, signal: AbortSignal): Promise<void>;
  /** Every effect that the service has now, by the id of its request; the same id twice where it was done twice. */
  readEffects(): Promise<readonly { id: string; effect: Effect }[]>;
  /** What is wrong with an effect that is there, e.g. only half of its rows; null where it is whole. */
  findFault(id: string, effect: Effect, intended: Effect): string | null;
  /** How it is killed; the whole process group of the service where it is left out. Resolves when the service is dead. */
  kill?(service: Service, random: SeededRandom): Promise<void>;
  /** A further check after each restart, e.g. that the previous model still answers; rejects where it fails. */
  afterRestart?(ledger: Ledger<Effect>): Promise<void>;
}

export interface CrashOptions {
  rounds: number;
  /** Seed of the moments of the kills and of the driving. */
  seed: number;
  /** The kill comes uniformly in this many ms after the driving has started. */
  killAfterMs: { from: number; to: number };
  startTimeoutMs: number;
  timers: Timers;
  onRound?(round: number, verdict: Verdict): void;
}

export interface CrashReport extends Verdict {
  kills: number;
}

/**
 * Starts a service, works with it, kills its whole process group with SIGKILL at a seeded moment, starts it again, and
 * compares what it had acknowledged with what is there; as often as wanted, on the same data. Stops at the first round
 * that lost, doubled or halved something, since what follows would only repeat it.
 * @throws Error where the service does not come back, with the end of its output
 */
export async function killLoop<Effect>(subject: CrashSubject<Effect>, ledger: Ledger<Effect>, options: CrashOptions): Promise<CrashReport> {
  const random = seededRandom(options.seed);
  let verdict: Verdict = { acknowledged: 0, present: 0, lost: [], twice: [], faulty: [], unknown: [] };
  let service = await startReady(subject, options);
  let kills = 0;
  try {
    for (let round = 1; round <= options.rounds && isClean(verdict); round++) {
      await driveAndKill(subject, ledger, options, random, service);
      kills++;
      service = await startReady(subject, options);
      await subject.afterRestart?.(ledger);
      verdict = checkLedger(ledger, await subject.readEffects(), subject.findFault.bind(subject));
      options.onRound?.(round, verdict);
    }
  } finally {
    await service.kill();
  }
  return { ...verdict, kills };
}

/** Whether nothing was lost, doubled, halved or invented. */
export function isClean({ lost, twice, faulty, unknown }: Verdict): boolean {
  return lost.length + twice.length + faulty.length + unknown.length === 0;
}

async function driveAndKill<Effect>(
  subject: CrashSubject<Effect>,
  ledger: Ledger<Effect>,
  { killAfterMs, timers }: CrashOptions,
  random: SeededRandom,
  service: Service,
): Promise<void> {
  const stop = new AbortController();
  const driving = subject.drive(ledger, seededRandom(random.below(2 ** 32)), stop.signal);
  // A drive that fails by itself is reported below, after the kill.
  driving.catch(() => undefined);
  await timers.sleep(killAfterMs.from + random.below(killAfterMs.to - killAfterMs.from + 1));
  await (subject.kill === undefined ? service.kill() : subject.kill(service, random));
  stop.abort();
  await driving;
}

async function startReady<Effect>(subject: CrashSubject<Effect>, { startTimeoutMs, timers }: CrashOptions): Promise<Service> {
  const service = await startService(subject.command);
  const stop = new AbortController();
  const late = timers
    .sleep(startTimeoutMs, stop.signal)
    .then(() => Promise.reject(new Error(`it was not ready after ${startTimeoutMs} ms`)));
  const ended = service.ended.then((how) => Promise.reject(new Error(`it ended by itself with ${how}`)));
  const ready = subject.untilReady(stop.signal);
  for (const outcome of [late, ended, ready]) outcome.catch(() => undefined);
  try {
    await Promise.race([ready, late, ended]);
    return service;
  } catch (error) {
    await service.kill();
    throw new Error(`the service did not come back: ${(error as Error).message}\n${service.output()}`, { cause: error });
  } finally {
    stop.abort();
  }
}
