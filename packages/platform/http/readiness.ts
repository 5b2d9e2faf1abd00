import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';

/** A dependency that the server needs to answer. `check` rejects if the dependency is unavailable. */
export interface ReadinessCheck {
  name: string;
  check(): Promise<void>;
}

/** The result of all readiness checks; `ready` is true if all of them are ok. */
export interface ReadinessResult {
  ready: boolean;
  checks: { name: string; status: 'ok' | 'fault' }[];
}

/** A check that has not ended after this time counts as a fault. */
const checkTimeoutMs = 2_000;
/** Anybody may request the readiness; the checks run at most once in this time. */
const keptMs = 1_000;

/** Runs the readiness checks, at most once per second. The reasons of faults go to the log, not to the client. */
export class Readiness {
  #last: { at: number; result: Promise<ReadinessResult> } | null = null;
  readonly #checks: readonly ReadinessCheck[];
  readonly #system: SystemInterfaces;
  readonly #log: Logger;

  constructor(checks: readonly ReadinessCheck[], system: SystemInterfaces, log: Logger) {
    this.#checks = checks;
    this.#system = system;
    this.#log = log;
  }

  now(): Promise<ReadinessResult> {
    const now = this.#system.elapsedMs();
    if (this.#last === null || now - this.#last.at >= keptMs) this.#last = { at: now, result: this.#run() };
    return this.#last.result;
  }

  async #run(): Promise<ReadinessResult> {
    const checks = await Promise.all(this.#checks.map(async ({ name, check }) => {
      const stop = new AbortController();
      try {
        await Promise.race([
          check(),
          this.#system.timers.sleep(checkTimeoutMs, stop.signal).then(() => {
            throw new Error(`no answer within ${checkTimeoutMs} ms`);
          }),
        ]);
        return { name, status: 'ok' as const };
      } catch (error) {
        this.#log.warn({ err: error, check: name }, 'not ready');
        return { name, status: 'fault' as const };
      } finally {
        stop.abort();
      }
    }));
    return { ready: checks.every(({ status }) => status === 'ok'), checks };
  }
}
