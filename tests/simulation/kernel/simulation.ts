import { seededRandom, type SeededRandom } from '@vouch/platform/process/seededRandom';
import { untilIdle } from './untilIdle.ts';
import type { Story } from './story.ts';

/** An event that the simulation runs at a point of simulated time. */
interface Event {
  atMs: number;
  /** Order of creation, which decides between events of the same time. */
  order: number;
  /** Returns the time until which the event must wait, or null if the event is void; undefined if it can run now. */
  held?: () => number | null | undefined;
  run: () => void | Promise<void>;
}

/** A promise that does not hold was found. The message states the promise and what was observed. */
export class Violation extends Error {
  override readonly name = 'Violation';
  /** Short name of the promise, by which two runs of the same fault are recognized. */
  readonly promise: string;
  constructor(promise: string, observed: string) {
    super(`${promise}: ${observed}`);
    this.promise = promise;
  }
}

/** Start of simulated time in ms since 1970: 2030-01-01T00:00:00Z. */
export const startMs = 1_893_456_000_000;

/**
 * Simulated time and the order of all events. One event runs at a time, and the next one runs only after all code that the event woke waits again:
 * for a timer, the database, or the network. The seed determines all delays, so the same seed gives the same order.
 */
export class Simulation {
  readonly story: Story;
  readonly #seed: number;
  readonly #heap: Event[] = [];
  #nowMs = 0;
  #order = 0;
  #violation: Violation | null = null;
  /** Number of events that ran. */
  steps = 0;

  constructor(seed: number, story: Story) {
    this.#seed = seed;
    this.story = story;
    story.clock = () => this.#nowMs;
  }

  /** Simulated ms since the start. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Creates a random generator of its own for a part, so that a change of one part leaves the numbers of the other parts unchanged. */
  randomFor(part: string): SeededRandom {
    let hash = 2_166_136_261 ^ this.#seed;
    for (const letter of part) hash = Math.imul(hash ^ letter.codePointAt(0)!, 16_777_619);
    return seededRandom(Math.imul(hash ^ (hash >>> 15), 2_246_822_519) ^ Math.imul(this.#seed, 2_654_435_761));
  }

  after(delayMs: number, run: Event['run'], held?: Event['held']): void {
    this.#push({ atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, run, held });
  }

  /** Records a broken promise and adds the promise to the story; the run ends after the present event. Code under test may swallow exceptions, so nothing is thrown here. */
  report(promise: string, observed: string): void {
    this.story.tell('BROKEN', `${promise}: ${observed}`);
    this.#violation ??= new Violation(promise, observed);
  }

  /** @throws Violation if a broken promise was reported */
  throwIfBroken(): void {
    if (this.#violation !== null) throw this.#violation;
  }

  /** Runs events until `untilMs`, or until `done` holds. @throws Violation */
  async run(untilMs: number, done: () => boolean = () => false): Promise<void> {
    for (;;) {
      const event = this.#heap[0];
      if (event === undefined || event.atMs > untilMs || done()) break;
      this.#pop();
      this.#nowMs = Math.max(this.#nowMs, event.atMs);
      const heldUntil = event.held?.();
      if (heldUntil === null) continue;
      if (heldUntil !== undefined && heldUntil > this.#nowMs) {
        this.#push({ ...event, atMs: heldUntil });
        continue;
      }
      this.steps += 1;
      await event.run();
      await untilIdle();
      this.throwIfBroken();
    }
    if (!done()) this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
