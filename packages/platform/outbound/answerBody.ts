import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Timers } from '../process/doors.ts';
import { describeFault } from './connectionFault.ts';
import { OutboundFailed } from './outbound.ts';

/** Read ahead of who takes the body, so that few parts stop and start the connection. */
const bytesAhead = 128 * 1024;

export interface BodyLimits {
  /** The host as sentences show it. */
  host: string;
  /** Longest silence while more is waited for; the time of a reader that pauses does not count. Unbounded unless given. */
  silenceMs: number | undefined;
}

/**
 * The body of an answer. It ends only where the answer is complete by its own framing, and fails otherwise; destroying it
 * closes the connection.
 */
export class AnswerBody extends Readable {
  readonly #incoming: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #timers: Timers;
  /** Ends the limit of silence; null where there is none. */
  readonly #over: AbortController | null;
  /** Whether something came, or was asked for anew, since the limit of silence last began. */
  #heard = false;
  #waiting = false;
  #ended = false;

  constructor(incoming: IncomingMessage, limits: BodyLimits, timers: Timers) {
    super({ highWaterMark: bytesAhead });
    this.#incoming = incoming;
    this.#limits = limits;
    this.#timers = timers;
    incoming.on('data', (part: Buffer) => this.#take(part));
    incoming.on('end', () => this.#end());
    // A broken connection is told by 'error', or by 'close' alone.
    incoming.on('error', (error) => this.fail(error));
    incoming.on('close', () => this.#end());
    incoming.pause();
    // Who reads is told of a failure; until somebody does it must not end the process.
    this.on('error', () => {});
    this.#over = limits.silenceMs === undefined ? null : new AbortController();
    if (this.#over !== null && limits.silenceMs !== undefined) void this.#limitSilence(limits.silenceMs, this.#over.signal);
  }

  /** Whether all of the answer has come, read or not: a connection that breaks after that takes nothing away. */
  get isWhole(): boolean {
    return this.#incoming.complete;
  }

  fail(error: Error): void {
    this.destroy(describeFault(error, this.#limits.host));
  }

  override _read(): void {
    this.#heard = true;
    this.#waiting = true;
    this.#incoming.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#over?.abort(null);
    this.#incoming.destroy();
    done(error);
  }

  #take(part: Buffer): void {
    this.#heard = true;
    if (this.push(part)) return;
    this.#waiting = false;
    this.#incoming.pause();
  }

  #end(): void {
    if (this.#ended || this.destroyed) return;
    this.#ended = true;
    this.#over?.abort(null);
    if (this.#incoming.complete) this.push(null);
    else this.fail(Object.assign(new Error('the answer was cut off'), { code: 'ECONNRESET' }));
  }

  /** One timer for the whole body: a new one for each part would cost more than the part. Silence is so noticed within twice its limit. */
  async #limitSilence(silenceMs: number, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      this.#heard = false;
      await this.#timers.sleep(silenceMs, over, false);
      if (this.#waiting && !this.#heard && !over.aborted) {
        this.destroy(new OutboundFailed('silent', this.#limits.host, `sent nothing of its answer for ${silenceMs / 1000} s`));
      }
    }
  }
}
