type Closer = () => Promise<unknown>;

/** Collects the close functions of opened resources. Each function is registered where its resource is opened. */
export class Closers {
  #closers: Closer[] = [];

  add(closer: Closer): void {
    this.#closers.push(closer);
  }

  /**
   * Closes all registered resources in reverse order. A further call closes only the resources registered since the previous
   * call.
   */
  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0).toReversed()) await closer();
  }
}
