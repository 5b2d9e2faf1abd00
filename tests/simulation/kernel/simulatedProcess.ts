import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import { startMs, type Simulation } from './simulation.ts';

/**
 * One life of a simulated operating-system process. After `kill`, none of its code continues: its timers, statements and notifications never resolve.
 * While the process is paused (`SIGSTOP`, a suspended machine), its code continues only after the pause.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly simulation: Simulation;
  readonly system: SystemInterfaces;
  readonly random: SeededRandom;
  readonly startedAtMs: number;
  /** Difference in ms of the process's wall clock from simulated time. */
  clockStepMs = 0;
  /** Factor of all delays of the process's network. */
  slowness = 1;
  #alive = true;
  #pausedUntilMs = 0;
  #atKill: (() => void)[] = [];

  /** @param life number of the process's start, which gives each life random numbers of its own */
  constructor(simulation: Simulation, name: string, life: number) {
    this.simulation = simulation;
    this.name = name;
    this.startedAtMs = simulation.nowMs;
    this.random = simulation.randomFor(`${name} ${life}`);
    const own = simulation.randomFor(`${name} ${life} identifiers`);
    const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => own.below(256)));
    this.system = {
      clock: { now: () => startMs + Math.floor(simulation.nowMs) + this.clockStepMs },
      elapsedMs: () => simulation.nowMs,
      timers: { sleep: (milliseconds, signal) => this.#sleep(milliseconds, signal) },
      random: { bytes, uuid: () => formatUuid(bytes(16)), fraction: () => own.uniform() },
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  get paused(): boolean {
    return this.#pausedUntilMs > this.simulation.nowMs;
  }

  pause(milliseconds: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.simulation.nowMs + milliseconds);
  }

  kill(): void {
    this.#alive = false;
    for (const tell of this.#atKill.splice(0)) tell();
  }

  onKill(tell: () => void): void {
    this.#atKill.push(tell);
  }

  /** Runs code of this process after a delay, unless the process is dead by then; a paused process runs the code after the pause. */
  after(delayMs: number, run: () => void | Promise<void>, isVoid: () => boolean = () => false): void {
    this.simulation.after(delayMs, run, () => {
      if (!this.#alive || isVoid()) return null;
      return this.paused ? this.#pausedUntilMs : undefined;
    });
  }

  #sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      let isOver = false;
      const wake = (): void => {
        isOver = true;
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      signal?.addEventListener('abort', wake, { once: true });
      this.after(milliseconds, wake, () => isOver);
    });
  }
}

function formatUuid(bytes: Buffer): string {
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const text = bytes.toString('hex');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}
