/** Tells whether several senders have begun work lately, so that none of them may take much of what all share. */
export class RecentSenders {
  #last: string | null = null;
  #severalUntil = -Infinity;
  readonly #lasting: number;
  readonly #now: () => number;

  /**
   * @param lasting how long several senders count as such after the sender of the work has changed
   * @param now the present, in the unit of `lasting`; never goes back
   */
  constructor(lasting: number, now: () => number) {
    this.#lasting = lasting;
    this.#now = now;
  }

  /** Notes that work of a sender begins. */
  note(sender: string): void {
    if (sender === this.#last) return;
    if (this.#last !== null) this.#severalUntil = this.#now() + this.#lasting;
    this.#last = sender;
  }

  areSeveral(): boolean {
    return this.#now() < this.#severalUntil;
  }
}
