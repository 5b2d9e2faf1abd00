import type { SystemInterfaces } from '../process/systemInterfaces.ts';

/** Detects a peer that sends too slowly: one byte per second prevents ordinary timeouts. */
export class ThroughputGuard {
  readonly bytesPerSecond: number;
  readonly #windowMs: number;
  readonly #system: Pick<SystemInterfaces, 'elapsedMs'>;
  #windowStart: number;
  #windowBytes = 0;

  constructor(slowest: { bytesPerSecond: number; windowMs: number }, system: Pick<SystemInterfaces, 'elapsedMs'>) {
    this.bytesPerSecond = slowest.bytesPerSecond;
    this.#windowMs = slowest.windowMs;
    this.#system = system;
    this.#windowStart = system.elapsedMs();
  }

  /**
   * Counts received bytes.
   * @returns the bytes and duration in ms of the window that has just ended, if its rate was below the minimum; otherwise null
   */
  add(bytes: number): { bytes: number; milliseconds: number } | null {
    this.#windowBytes += bytes;
    const now = this.#system.elapsedMs();
    const milliseconds = now - this.#windowStart;
    if (milliseconds < this.#windowMs) return null;
    const seen = { bytes: this.#windowBytes, milliseconds };
    this.#windowStart = now;
    this.#windowBytes = 0;
    return seen.bytes * 1000 < this.bytesPerSecond * milliseconds ? seen : null;
  }
}
