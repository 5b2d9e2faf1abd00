type Closer = () => Promise<unknown>;

/** What was opened so far, each part's closing registered where it opens. */
export class Closers {
  #closers: Closer[] = [];

  add(closer: Closer): void {
    this.#closers.push(closer);
  }

  /** Closes everything in reverse order; called again, it closes only what was added since. */
  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0).toReversed()) await closer();
  }
}
