import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { parseBlock } from './chainReads.ts';
import type { Endpoint } from './endpoint.ts';

/** Interval of comparing the newest blocks, in milliseconds. */
const comparedMs = 30_000;
/** An endpoint is behind if its newest block is older than another's by more than this. Healthy endpoints differ by a few blocks. */
const behindSeconds = 60;
/** A newest block later than this machine's clock by more than this is not compared with: it is wrong, or the clock is. */
const aheadSeconds = 600;

/** Finds endpoints whose newest block is older than those of others, so that they are asked only after the others. One endpoint is never behind. */
export class HeadComparison {
  readonly #endpoints: readonly Endpoint[];
  readonly #system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>;
  /** Time by `elapsedMs`. */
  #dueMs = -Infinity;

  constructor(endpoints: readonly Endpoint[], system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>) {
    this.#endpoints = endpoints;
    this.#system = system;
  }

  /** Compares the endpoints in the background if that is due. */
  begin(): void {
    const now = this.#system.elapsedMs();
    if (this.#endpoints.length < 2 || now < this.#dueMs) return;
    this.#dueMs = now + comparedMs;
    void this.#compare();
  }

  async #compare(): Promise<void> {
    const times = await Promise.all(this.#endpoints.map(timeOfHead));
    const latest = this.#system.clock.now() / 1_000 + aheadSeconds;
    const newest = Math.max(...times.map((time) => (time === null || time > latest ? -Infinity : time)));
    this.#endpoints.forEach((endpoint, place) => {
      const time = times[place] ?? null;
      if (time !== null) endpoint.behindSeconds = newest - time > behindSeconds ? newest - time : 0;
    });
  }
}

/** Timestamp of the newest block; null from an endpoint that rests or fails, which the next call to it notes. */
async function timeOfHead(endpoint: Endpoint): Promise<number | null> {
  if (endpoint.resting) return null;
  try {
    return parseBlock(await endpoint.call({ method: 'eth_getBlockByNumber', params: ['latest', false] })).timestamp;
  } catch {
    return null;
  }
}
