interface ReadingAhead<Item> {
  /** Functions that open the sources. A source must end with an error if its signal aborts. */
  sources: readonly ((signal: AbortSignal) => AsyncIterable<Item>)[];
  /** Number of sources to read at the same time. */
  lanes: number;
  /** Maximum number of buffered items before further sources wait; the source whose items are needed next may always start. */
  waiting: number;
  signal: AbortSignal;
}

/** Items of one source that the reader has not taken yet. */
interface Shelf<Item> {
  items: Item[];
  ended: boolean;
}

/**
 * Reads several sources at the same time and yields their items one source after another. If a source fails, the reading ends
 * at once with its error. All sources have ended when the reading ends, whatever the cause.
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

/** Wakes all waiting callers at its next ring. */
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
