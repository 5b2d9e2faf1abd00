import type { Block } from '@vouch/chain/rpc/chainReads';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';

/** Largest accepted difference between this machine's clock and the chain's, in seconds. Beyond this difference, certificates would be judged by a wrong date. */
export const maxSkew = 600;
/** After this time without a new block the chain counts as idle, and this machine's clock is trusted. */
const doubtMs = 60_000;

/**
 * The chain's time, which deadlines and expiries are compared with: the newest block's timestamp plus the time since this node
 * first saw that block. A wrong clock, or a clock that jumped, does not change the result.
 */
export class ChainTime {
  readonly #system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>;
  #head: Block | null = null;
  #firstSeenMs = 0;
  /** Whether a second block was seen: only then is the newest block's timestamp recent. */
  #lives = false;
  #skew = 0;

  constructor(system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>) {
    this.#system = system;
  }

  /** The newest block that was seen; null before the first block. */
  get head(): Block | null {
    return this.#head;
  }

  see(head: Block): void {
    if (this.#head?.hash === head.hash) return;
    this.#lives = this.#head !== null;
    this.#head = head;
    this.#firstSeenMs = this.#system.elapsedMs();
    this.#skew = Math.floor(this.#system.clock.now() / 1_000) - head.timestamp;
  }

  /** Seconds since the epoch; null before the first block. */
  now(): number | null {
    return this.#head === null ? null : this.#head.timestamp + Math.floor((this.#system.elapsedMs() - this.#firstSeenMs) / 1_000);
  }

  /** How many seconds this machine's clock was ahead of the chain's when the newest block was seen; 0 when unknown. */
  get skew(): number {
    // On an idle chain the first block seen may be old, but no block has a timestamp in the future.
    return this.#lives || this.#skew < 0 ? this.#skew : 0;
  }

  /** Whether this machine's clock may be wrong; the next block decides. */
  get doubtful(): boolean {
    return !this.#lives && this.#skew > maxSkew && this.#system.elapsedMs() - this.#firstSeenMs < doubtMs;
  }

  /** The date at which certificates must be valid: this machine's time, or the chain's time when this machine's clock is wrong. */
  get date(): Date {
    const now = this.now();
    return new Date(now === null || Math.abs(this.skew) <= maxSkew ? this.#system.clock.now() : now * 1_000);
  }
}
