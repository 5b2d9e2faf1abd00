/** Answered queries of the greatest known range, after which a longer one is tried; doubled after each refusal of a longer one. */
const patienceLeast = 4;
const patienceMost = 256;

/**
 * Learns how many blocks an endpoint answers at once. Nodes limit ranges by blocks, logs or bytes, and do not state the limit in a uniform
 * way. A refusal halves the range, and a binary search between the answered and the refused length follows. Longer ranges are tried again
 * from time to time, because a limit on logs differs between blocks and a busy endpoint refuses everything.
 */
export class BlockRange {
  readonly #most: number;
  #blocks: number;
  /** Shortest refused length. */
  #tooLong = Infinity;
  #answered = 0;
  #patience = patienceLeast;

  /** @param most maximum number of blocks, at least 1 */
  constructor(most: number) {
    this.#most = Math.max(1, most);
    this.#blocks = this.#most;
  }

  /** Number of blocks of the next query. */
  get blocks(): number {
    return this.#blocks;
  }

  /** Records an answer to a query of this many blocks. */
  answered(blocks: number): void {
    // A scan's last query is shorter and shows nothing about the limit.
    if (blocks < this.#blocks) return;
    if (blocks >= this.#tooLong) this.#forget();
    if (this.#tooLong === Infinity) {
      this.#blocks = Math.min(this.#most, blocks * 2);
    } else if (blocks + 1 < this.#tooLong) {
      this.#blocks = Math.floor((blocks + this.#tooLong) / 2);
    } else {
      this.#answered += 1;
      if (this.#answered >= this.#patience) this.#blocks = Math.min(this.#most, blocks * 2);
    }
  }

  /** Records the refusal of a query of this many blocks. */
  refused(blocks: number): void {
    this.#answered = 0;
    if (blocks >= this.#tooLong) {
      this.#patience = Math.min(patienceMost, this.#patience * 2);
      this.#blocks = this.#tooLong - 1;
      return;
    }
    this.#tooLong = Math.max(2, blocks);
    this.#blocks = Math.max(1, Math.floor(blocks / 2));
  }

  #forget(): void {
    [this.#tooLong, this.#answered, this.#patience] = [Infinity, 0, patienceLeast];
  }
}
