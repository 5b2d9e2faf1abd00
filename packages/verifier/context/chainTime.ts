import type { Block } from '@vouch/chain/rpc/chainReads';
import type { Clock } from '@vouch/platform/process/doors';

/** A clock of this machine that differs by more judges certificates by a wrong date. */
export const maxSkew = 600;
/** A chain that makes no block for so long is idle, and this machine's clock is believed. */
const doubtMs = 60_000;

/**
 * The time of the chain, by which deadlines and expiries are measured: that of the newest block, and what passed here since it
 * was first seen. A wrong clock of this machine, or one that jumped while a laptop slept, changes nothing about it.
 */
export class ChainTime {
  readonly #clock: Clock;
  #head: Block | null = null;
  #firstSeenMs = 0;
  /** Whether a block was seen to follow another: only then is its time that of this moment. */
  #lives = false;
  #skew = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The newest block that was seen; null before the first. */
  get head(): Block | null {
    return this.#head;
  }

  see(head: Block): void {
    if (this.#head?.hash === head.hash) return;
    const now = this.#clock.now();
    this.#lives = this.#head !== null;
    this.#head = head;
    this.#firstSeenMs = now;
    this.#skew = Math.floor(now / 1_000) - head.timestamp;
  }

  /** Seconds since the epoch; null before the first block. */
  now(): number | null {
    return this.#head === null ? null : this.#head.timestamp + Math.max(0, Math.floor((this.#clock.now() - this.#firstSeenMs) / 1_000));
  }

  /** How many seconds this machine's clock was ahead of the chain's when the newest block was seen; 0 where that cannot be told. */
  get skew(): number {
    // The first block may be an old one, of a chain that makes none while nothing happens; but none comes from the future.
    return this.#lives || this.#skew < 0 ? this.#skew : 0;
  }

  /** Whether this machine's clock may be wrong, which the next block will tell. */
  get doubtful(): boolean {
    return !this.#lives && this.#skew > maxSkew && this.#clock.now() - this.#firstSeenMs < doubtMs;
  }

  /** The moment for which certificates have to be valid: this machine's clock, or the chain's where that one cannot be right. */
  get date(): Date {
    const now = this.now();
    return new Date(now === null || Math.abs(this.skew) <= maxSkew ? this.#clock.now() : now * 1_000);
  }
}
