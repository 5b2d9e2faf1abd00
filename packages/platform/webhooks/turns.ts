/** Upper bound for the remembered names. A forgotten name gets the next turn. */
const remembered = 10_000;

/** Remembers who had a turn, so that each name gets one before any gets a second. */
export class Turns {
  /** Names in the order of their last turns, the oldest first. */
  readonly #last = new Map<string, number>();
  #turn = 0;

  /** Sorts names by their last turns: first those without a turn, then the one whose turn was longest ago. */
  inOrder(names: readonly string[]): string[] {
    return names.toSorted((one, other) => (this.#last.get(one) ?? 0) - (this.#last.get(other) ?? 0));
  }

  took(name: string): void {
    this.#turn += 1;
    this.#last.delete(name);
    this.#last.set(name, this.#turn);
    const [oldest] = this.#last.keys();
    if (this.#last.size > remembered && oldest !== undefined) this.#last.delete(oldest);
  }
}
