import { Gauge, type Registry } from 'prom-client';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';

/** A dependency of the server. `check` rejects if the dependency is unavailable. */
export interface ReadinessCheck {
  name: string;
  /**
   * Whether every request needs the dependency. While a dependency of only some requests is unavailable, the server is degraded and stays ready: all servers
   * share the dependency, so a balancer would lose all of them at once, although they can answer the other requests.
   */
  isRequired: boolean;
  check(): Promise<void>;
}

/** The result of all readiness checks. */
export interface ReadinessResult {
  status: 'ready' | 'degraded' | 'not-ready';
  checks: { name: string; status: 'ok' | 'fault' }[];
}

/** A check that has not ended after this time counts as a fault. Balancers and probes often wait for an answer for one second. */
const requiredTimeoutMs = 2_000;
const otherTimeoutMs = 800;
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
    const results = await Promise.all(this.#checks.map(async ({ name, isRequired, check }) => {
      const timeoutMs = isRequired ? requiredTimeoutMs : otherTimeoutMs;
      const stop = new AbortController();
      try {
        await Promise.race([
          check(),
          this.#system.timers.sleep(timeoutMs, stop.signal).then(() => {
            throw new Error(`no answer within ${timeoutMs} ms`);
          }),
        ]);
        return { name, isRequired, status: 'ok' as const };
      } catch (error) {
        this.#log.warn({ err: error, check: name }, isRequired ? 'not ready' : 'degraded');
        return { name, isRequired, status: 'fault' as const };
      } finally {
        stop.abort();
      }
    }));
    const faults = results.filter(({ status }) => status === 'fault');
    return {
      status: faults.length === 0 ? 'ready' : faults.some(({ isRequired }) => isRequired) ? 'not-ready' : 'degraded',
      checks: results.map(({ name, status }) => ({ name, status })),
    };
  }
}

/** Adds a metric with the result of each readiness check. */
export function measureReadiness(metrics: Registry, readiness: Readiness): void {
  const gauge: Gauge<'check'> = new Gauge({
    name: 'vouch_readiness_check',
    help: 'Result of a readiness check: 1 if the dependency answers, 0 if not.',
    labelNames: ['check'],
    registers: [metrics],
    async collect() {
      for (const { name, status } of (await readiness.now()).checks) gauge.set({ check: name }, status === 'ok' ? 1 : 0);
    },
  });
}
