import type { Block } from '@vouch/chain/rpc/chainReads';
import type { Clock } from '@vouch/platform/process/doors';

/** A clock of this machine that differs by more judges certificates by a wrong date. */
export const skewMax = 600;

/**
 * The time of the chain, by which deadlines and expiries are measured: that of the newest block, and what passed here since it
 * was first seen. A wrong clock of this machine, or one that jumped while a laptop slept, changes nothing about it.
 */
export class ChainTime {
  readonly #clock: Clock;
  #head: Block | null = null;
  #firstSeenMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The newest block that was seen; null before the first. */
  get head(): Block | null {
    return this.#head;
  }

  see(head: Block): void {
    if (this.#head?.hash === head.hash) return;
    this.#head = head;
    this.#firstSeenMs = this.#clock.now();
  }

  /** Seconds since the epoch; null before the first block. */
  now(): number | null {
    return this.#head === null ? null : this.#head.timestamp + Math.max(0, Math.floor((this.#clock.now() - this.#firstSeenMs) / 1_000));
  }

  /** How many seconds this machine's clock is ahead of the chain's; 0 before the first block. */
  get skew(): number {
    const now = this.now();
    return now === null ? 0 : Math.floor(this.#clock.now() / 1_000) - now;
  }

  /** The moment for which certificates have to be valid: this machine's clock, or the chain's where that one cannot be right. */
  get date(): Date {
    const now = this.now();
    return new Date(now === null || Math.abs(this.skew) <= skewMax ? this.#clock.now() : now * 1_000);
  }
}
