interface ReadingAhead<Item> {
  /** Each ends with an error where its signal aborts. */
  sources: readonly ((signal: AbortSignal) => AsyncIterable<Item>)[];
  /** Sources that are read at the same time. */
  lanes: number;
  /** While more items than this wait for the reader, no source is begun that is not its next. */
  waiting: number;
  signal: AbortSignal;
}

/** What one source gave that its reader has not taken yet. */
interface Shelf<Item> {
  items: Item[];
  ended: boolean;
}

/**
 * Reads several sources at the same time and gives their items one source after the other. A source that fails ends the
 * reading at once with its error. No source is left running, however the reading ends.
 */
export async function* readAhead<Item>({ sources, lanes, waiting, signal }: ReadingAhead<Item>): AsyncGenerator<Item> {
  const shelves: Shelf<Item>[] = sources.map(() => ({ items: [], ended: false }));
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const given = new Bell();
  const taken = new Bell();
  let begun = 0;
  let current = 0;
  let held = 0;

  async function readOne(own: number): Promise<void> {
    const shelf = shelves[own]!;
    for await (const item of sources[own]!(stopped)) {
      if (stopped.aborted) return;
      shelf.items.push(item);
      held += 1;
      if (own === current) given.ring();
    }
    shelf.ended = true;
    given.ring();
  }

  async function runLane(): Promise<void> {
    while (begun < sources.length && !stopped.aborted) {
      if (held > waiting && begun !== current) await taken.rings();
      else await readOne(begun++);
    }
  }

  const running = Array.from({ length: lanes }, () => runLane().catch((error: unknown) => {
    stop.abort(error);
    given.ring();
  }));
  try {
    for (const shelf of shelves) {
      for (let done = false; !done;) {
        const { items } = shelf;
        shelf.items = [];
        done = shelf.ended;
        yield* items;
        held -= items.length;
        taken.ring();
        stopped.throwIfAborted();
        if (!done && shelf.items.length === 0 && !shelf.ended) await given.rings();
      }
      current += 1;
    }
  } finally {
    stop.abort();
    taken.ring();
    await Promise.all(running);
  }
}

/** Wakes all who wait for its next ring. */
class Bell {
  private wake: () => void = () => {};
  private next: Promise<void> | null = null;

  rings(): Promise<void> {
    this.next ??= new Promise((resolve) => (this.wake = resolve));
    return this.next;
  }

  ring(): void {
    this.next = null;
    this.wake();
  }
}
