import { Readable } from 'node:stream';
import { OutboundFailed, type OutboundHttp } from '@vouch/platform/outbound/outbound';
import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import type { SimulatedProcess } from '../kernel/simulatedProcess.ts';
import type { Simulation } from '../kernel/simulation.ts';

/** A request of one attempt that is not over for its sender. */
export interface OpenCall {
  id: string;
  process: SimulatedProcess;
  sinceMs: number;
}

/** Longest time in ms that a receiver needs for an answer. */
const slowMs = 15_000;

/** The receivers of callbacks. Until faults end, they refuse, hang, fail, and accept callbacks whose answer is lost. */
export class Receivers {
  readonly #simulation: Simulation;
  readonly #random: SeededRandom;
  readonly #faultsUntilMs: number;
  readonly open = new Set<OpenCall>();
  /** Body of the callbacks that were received, by id. */
  readonly bodies = new Map<string, string>();
  /** Ids of the callbacks that a receiver answered with 200, whether or not the answer arrived. */
  readonly accepted = new Set<string>();
  calls = 0;
  /** Called at the beginning of each attempt. */
  called: (call: OpenCall, host: string, body: string) => void = () => {};

  constructor(simulation: Simulation, faultsUntilMs: number) {
    this.#simulation = simulation;
    this.#random = simulation.randomFor('receivers');
    this.#faultsUntilMs = faultsUntilMs;
  }

  connect(process: SimulatedProcess): OutboundHttp {
    return {
      check: () => {},
      close: async () => {},
      request: ({ url, headers, body, signal }) => new Promise((resolve, reject) => {
        const { host } = new URL(url);
        const call: OpenCall = { id: headers!['webhook-id']!, process, sinceMs: this.#simulation.nowMs };
        this.calls += 1;
        this.called(call, host, body!);
        this.open.add(call);
        process.onKill(() => this.open.delete(call));
        const end = (then: () => void): void => process.after(this.#delay(process), () => {
          if (!this.open.delete(call)) return;
          then();
        });
        signal?.addEventListener('abort', () => {
          if (this.open.delete(call)) reject(signal.reason as Error);
        }, { once: true });
        const fate = this.#simulation.nowMs < this.#faultsUntilMs ? this.#random.uniform() : 1;
        if (fate < 0.08) return end(() => reject(new OutboundFailed('unreachable', host, 'refused the connection')));
        const answerMs = this.#random.uniform() < 0.1 && fate < 1 ? this.#random.uniform() * slowMs : this.#random.uniform() * 200;
        this.#simulation.after(this.#delay(process) + answerMs, () => {
          // The receiver gets nothing.
          if (fate < 0.14) return;
          this.bodies.set(call.id, body!);
          if (fate < 0.3) return end(() => resolve({ status: 500, headers: {}, url, body: Readable.from([Buffer.from('not now')]) }));
          this.accepted.add(call.id);
          // The answer is lost.
          if (fate < 0.4) return;
          end(() => resolve({ status: 200, headers: {}, url, body: Readable.from([Buffer.from('ok')]) }));
        });
      }),
    };
  }

  #delay({ random, slowness }: SimulatedProcess): number {
    return (5 + random.uniform() * 50) * slowness;
  }
}
