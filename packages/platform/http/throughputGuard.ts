import type { Clock } from '../process/doors.ts';

/** Notices a peer that sends, but too little: one byte a second keeps every ordinary timeout from firing. */
export class ThroughputGuard {
  readonly bytesPerSecond: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  #windowStart: number;
  #windowBytes = 0;

  constructor(slowest: { bytesPerSecond: number; windowMs: number }, clock: Clock) {
    this.bytesPerSecond = slowest.bytesPerSecond;
    this.#windowMs = slowest.windowMs;
    this.#clock = clock;
    this.#windowStart = clock.now();
  }

  /**
   * Counts bytes that have come.
   * @returns what came in the window that has just ended where it was too little, else null
   */
  add(bytes: number): { bytes: number; milliseconds: number } | null {
    this.#windowBytes += bytes;
    const now = this.#clock.now();
    const milliseconds = now - this.#windowStart;
    if (milliseconds < this.#windowMs) return null;
    const seen = { bytes: this.#windowBytes, milliseconds };
    this.#windowStart = now;
    this.#windowBytes = 0;
    return seen.bytes * 1000 < this.bytesPerSecond * milliseconds ? seen : null;
  }
}
