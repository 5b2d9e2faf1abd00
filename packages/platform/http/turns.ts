import { RecentSenders } from '../process/recentSenders.ts';

/** Sender of requests without a key, and of requests whose key is not checked yet. */
export const noSender = '';

/** A request that waits for its turn. */
interface Waiting {
  begin(): void;
  /** Whether the request takes one of the sender's places while places are scarce. */
  takesPlace: boolean;
}

/** Bounds of the work of one sender. */
export interface Share {
  /**
   * Work of one turn of the event loop, in milliseconds, after which further requests wait for the next turn. A turn costs as much as a cheap request: with
   * one request per turn, an organization alone got .7 of the lists a second, and the gateway acknowledged .6 of the messages.
   */
  sliceMs: number;
  /**
   * Number of requests in progress up to which the sender may always begin another request. Beyond it, the sender may begin one while at most this many
   * connections to the database are in use.
   */
  places: number;
}

/** For a sender that has the server for itself: nearly all of the pool's ten connections. */
const alone: Share = { sliceMs: 1, places: 8 };
/**
 * For several senders. Beside an organization that sends 1.5 times what the server can answer, a request waits for its slices and shares the processors with
 * its statements: with the bounds of one sender, the median duration of another organization's lists was 3.9 times as long, that of requests to the database 3.6
 * times; with these bounds, 1.1 and 2.3 times (bench/results/fairness.md). The server answers .74 to .92 of the requests then.
 */
const shared: Share = { sliceMs: 0.25, places: 3 };
/** Time in milliseconds for which the bounds of several senders hold after the sender has changed. */
const sharedForMs = 1_000;

export interface TurnOptions {
  /** Number of connections to the database that are in use. */
  connectionsInUse(): number;
  /** Bounds for a sender alone and for several; tests replace them. */
  shares?: { alone: Share; shared: Share };
  /** Calls a function after the events that wait in this process; tests replace it. */
  soon?(work: () => void): unknown;
  /** Milliseconds of a clock that never goes back. */
  elapsedMs(): number;
}

/**
 * Starts requests in slices of time, and lets the senders take turns, however many requests each of them has. After a slice, the event loop receives what
 * has arrived. So a request waits for the slice in progress and for one request of each other sender, but not for the queue of another sender. Without
 * waiting requests, a request begins at once.
 */
export class Turns {
  /** Waiting requests and steps by sender; the sender whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** Number of requests in progress that took a place, by sender. */
  readonly #places = new Map<string, number>();
  /** When the first request began since the event loop received what had arrived; null if none has. */
  #sliceBegan: number | null = null;
  /** Senders of the requests that have begun. */
  readonly #senders: RecentSenders;
  readonly #options: TurnOptions;
  readonly #soon: (work: () => void) => unknown;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#soon = options.soon ?? setImmediate;
    this.#senders = new RecentSenders(sharedForMs, () => options.elapsedMs());
  }

  /**
   * Calls `begin` at the sender's next turn, or at once if no other request waits. Each request that begins with `takesPlace` must be followed by one
   * call of `leave`.
   */
  start(sender: string, begin: () => void, takesPlace = true): void {
    const request = { begin, takesPlace };
    if (this.#isSliceOver() || (this.#sliceBegan !== null && this.#waiting.size > 0) || !this.#mayBegin(sender, request, this.#sliceBegan === null)) return this.#wait(sender, request);
    this.#begin(sender, request);
  }

  /** Calls `step` at the sender's next turn, never at once. Long answers are made in steps. */
  continue(sender: string, step: () => void): void {
    this.#wait(sender, { begin: step, takesPlace: false });
    this.#turn();
  }

  /** Gives the place of a request back. */
  leave(sender: string): void {
    const left = (this.#places.get(sender) ?? 0) - 1;
    if (left > 0) this.#places.set(sender, left);
    else this.#places.delete(sender);
    if (this.#waiting.size > 0) this.#turn();
  }

  #wait(sender: string, request: Waiting): void {
    const queue = this.#waiting.get(sender);
    if (queue === undefined) this.#waiting.set(sender, [request]);
    else queue.push(request);
  }

  /**
   * Whether a request may begin now. Connections are taken only after requests have begun, so beyond its places a sender begins one request per slice.
   * @param isFirst whether the request would be the first one of its slice
   */
  #mayBegin(sender: string, { takesPlace }: Waiting, isFirst: boolean): boolean {
    const { places } = this.#share();
    if (!takesPlace || (this.#places.get(sender) ?? 0) < places) return true;
    return isFirst && this.#options.connectionsInUse() <= places;
  }

  #begin(sender: string, { begin, takesPlace }: Waiting): void {
    this.#turn();
    // A page or a probe without a key once a second would otherwise shorten the slices of the only organization for good.
    if (sender !== noSender) this.#senders.note(sender);
    if (takesPlace) this.#places.set(sender, (this.#places.get(sender) ?? 0) + 1);
    begin();
  }

  #share(): Share {
    const { shares = { alone, shared } } = this.#options;
    return this.#senders.areSeveral() ? shares.shared : shares.alone;
  }

  #isSliceOver(): boolean {
    return this.#sliceBegan !== null && this.#options.elapsedMs() - this.#sliceBegan >= this.#share().sliceMs;
  }

  /** Begins a slice if none is in progress. */
  #turn(): void {
    if (this.#sliceBegan !== null) return;
    this.#sliceBegan = this.#options.elapsedMs();
    this.#soon(() => {
      this.#sliceBegan = null;
      this.#next(true);
    });
  }

  /** Begins one request of the sender whose turn it is, moves the sender to the end, and goes on until the slice is over. */
  #next(isFirst: boolean): void {
    for (const [sender, queue] of this.#waiting) {
      const at = queue.findIndex((request) => this.#mayBegin(sender, request, isFirst));
      const [request] = at < 0 ? [] : queue.splice(at, 1);
      if (request === undefined) continue;
      this.#waiting.delete(sender);
      if (queue.length > 0) this.#waiting.set(sender, queue);
      this.#begin(sender, request);
      // After the work of the request so far, so that the slice includes it.
      if (this.#waiting.size > 0) queueMicrotask(() => { if (!this.#isSliceOver()) this.#next(false); });
      return;
    }
  }
}
