import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { seededRandom, type SeededRandom } from '../../../packages/platform/process/seededRandom.ts';
import { checkLedger, type Ledger, type Verdict } from './ledger.ts';
import { startService, type Service, type ServiceCommand } from './service.ts';

/** Operations of a system under test: how to drive the system, and how to read its effects. */
export interface CrashSubject<Effect> {
  command: ServiceCommand;
  /** Resolves when the service accepts requests; called after every start. Rejects when the signal aborts. */
  untilReady(signal: AbortSignal): Promise<void>;
  /**
   * Sends requests until the signal aborts. Calls `begin` before each request, and `acknowledge` after the service confirms it.
   * Failed requests are expected because of the crash and are not errors.
   */
  drive(ledger: Ledger<Effect>, random: SeededRandom, signal: AbortSignal): Promise<void>;
  /**
   * Returns every effect that the service has now, with the id of its request. A duplicated effect appears twice with the same
   * id.
   */
  fetchEffects(): Promise<readonly { id: string; effect: Effect }[]>;
  /** Returns what is wrong with an existing effect, e.g. that half of its rows are missing; null if the effect is complete. */
  findFault(id: string, effect: Effect, intended: Effect): string | null;
  /** Kills the service and resolves when the service is dead. Default: kills the whole process group. */
  kill?(service: Service, random: SeededRandom): Promise<void>;
  /** Additional check after each restart, e.g. that the previous model still answers. Rejects if the check fails. */
  afterRestart?(ledger: Ledger<Effect>): Promise<void>;
}

export interface CrashOptions {
  rounds: number;
  /** Seed of the moments of the kills and of the requests. */
  seed: number;
  /** The kill happens at a uniformly random moment within this range of ms after the first request. */
  killAfterMs: { from: number; to: number };
  timers: Timers;
  onRound?(round: number, verdict: Verdict): void;
}

/** Only ends a start that hangs. On a busy machine, a start takes a minute. */
const startTimeoutMs = 240_000;

export interface CrashReport extends Verdict {
  kills: number;
}

/**
 * Repeats on the same data: starts a service, sends requests, kills the whole process group with SIGKILL at a seeded moment,
 * restarts the service, and compares the acknowledged requests with the existing effects. Stops after the first round with a
 * lost, duplicated or incomplete effect, because later rounds would only report the same effect again.
 * @throws Error with the end of the output if the service does not come back
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
      verdict = checkLedger(ledger, await subject.fetchEffects(), subject.findFault.bind(subject));
      options.onRound?.(round, verdict);
    }
  } finally {
    await service.kill();
  }
  return { ...verdict, kills };
}

/** Whether no effect was lost, duplicated, incomplete or unexpected. */
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
  // An error of `drive` is reported below, after the kill.
  driving.catch(() => undefined);
  await timers.sleep(killAfterMs.from + random.below(killAfterMs.to - killAfterMs.from + 1));
  await (subject.kill === undefined ? service.kill() : subject.kill(service, random));
  stop.abort();
  await driving;
}

async function startReady<Effect>(subject: CrashSubject<Effect>, { timers }: CrashOptions): Promise<Service> {
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
