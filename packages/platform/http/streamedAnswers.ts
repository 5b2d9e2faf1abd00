import type { ServerResponse } from 'node:http';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';

/** A client that has not read for less than this time counts as briefly slow, not as stalled. */
const stalledMsMin = 5_000;

/**
 * Limits the number of streamed answers, because each holds buffers and an open source. While there is room, a client may read as slowly as it likes.
 * Without room, the answer whose client has not read for the longest time is cut off in favour of the next answer. A paused video player requests the
 * rest with a range request.
 */
export class StreamedAnswers {
  /** For each answer, the time by `elapsedMs` at which its client last read all data that was written. */
  readonly #answers = new Map<ServerResponse, { takenMs: number }>();
  readonly #maximum: number;
  readonly #system: Pick<SystemInterfaces, 'elapsedMs'>;
  /** Number of answers cut off so far because their client did not read. */
  cut = 0;

  constructor(maximum: number, system: Pick<SystemInterfaces, 'elapsedMs'>) {
    this.#maximum = maximum;
    this.#system = system;
  }

  get size(): number {
    return this.#answers.size;
  }

  /** Registers an answer that begins. @returns false if it must not begin, because there is no room and no client is stalled */
  begin(response: ServerResponse): boolean {
    // The client left before its answer began, so `close` was emitted already and would never end the registration.
    if (response.closed) return true;
    if (this.#answers.size >= this.#maximum && !this.#cutLongestStalled()) return false;
    const answer = { takenMs: this.#system.elapsedMs() };
    this.#answers.set(response, answer);
    response.on('drain', () => { answer.takenMs = this.#system.elapsedMs(); });
    response.once('close', () => this.#answers.delete(response));
    return true;
  }

  #cutLongestStalled(): boolean {
    const latestMs = this.#system.elapsedMs() - stalledMsMin;
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
    // The reset prevents the client from taking the truncated answer for a complete one.
    longest.socket?.resetAndDestroy();
    return true;
  }
}
