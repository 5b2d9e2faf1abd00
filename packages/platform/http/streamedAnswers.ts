import type { ServerResponse } from 'node:http';
import type { Clock } from '../process/doors.ts';

/** Below this a reader is only slow for a moment. */
const stalledMsMin = 5_000;

/**
 * The answers that are being streamed, bounded in number: each holds buffers, and whatever it is read from. A reader may take as
 * long as it likes while there is room. Without room, the place of whoever has not read for longest goes to the next answer; a
 * player that was paused asks for the rest by a range.
 */
export class StreamedAnswers {
  /** When each last took what was written for it, in ms. */
  readonly #answers = new Map<ServerResponse, { takenMs: number }>();
  readonly #maximum: number;
  readonly #clock: Clock;
  /** Answers that were cut off so far because their reader did not read. */
  cut = 0;

  constructor(maximum: number, clock: Clock) {
    this.#maximum = maximum;
    this.#clock = clock;
  }

  get size(): number {
    return this.#answers.size;
  }

  /** An answer begins. @returns false where it must not: there is no room, and every reader reads */
  begin(response: ServerResponse): boolean {
    if (this.#answers.size >= this.#maximum && !this.#cutLongestStalled()) return false;
    const answer = { takenMs: this.#clock.now() };
    this.#answers.set(response, answer);
    response.on('drain', () => { answer.takenMs = this.#clock.now(); });
    response.once('close', () => this.#answers.delete(response));
    return true;
  }

  #cutLongestStalled(): boolean {
    const latestMs = this.#clock.now() - stalledMsMin;
    let longest: ServerResponse | null = null;
    let sinceMs = latestMs;
    for (const [response, { takenMs }] of this.#answers) {
      if (response.writableLength === 0 || takenMs > sinceMs) continue;
      longest = response;
      sinceMs = takenMs;
    }
    if (longest === null) return false;
    this.#answers.delete(longest);
    this.cut++;
    // Cut off without a proper end, so that nobody takes the answer for whole.
    longest.socket?.resetAndDestroy();
    return true;
  }
}
