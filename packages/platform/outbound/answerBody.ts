import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Timers } from '../process/systemInterfaces.ts';
import { describeFault } from './connectionFault.ts';
import { OutboundFailed } from './outbound.ts';

/** Size of the read buffer in bytes. A large buffer means that the connection is paused and resumed less often. */
const bytesAhead = 128 * 1024;

export interface BodyLimits {
  /** The host, as shown in messages. */
  host: string;
  /** Longest silence in ms while the reader waits for more data. Pauses of the reader do not count. Undefined for no limit. */
  silenceMs: number | undefined;
}

/**
 * The body of an HTTP answer. It ends normally only if the answer is complete by its own framing, and fails otherwise. Destroying it closes the
 * connection.
 */
export class AnswerBody extends Readable {
  readonly #incoming: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #timers: Timers;
  /** Stops the limit of silence; null if there is none. */
  readonly #over: AbortController | null;
  /** Whether data arrived or was requested since the current interval of the limit of silence began. */
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
    // Node reports a broken connection with 'error', or only with 'close'.
    incoming.on('error', (error) => this.fail(error));
    incoming.on('close', () => this.#end());
    incoming.pause();
    // Without a listener, an error before the first read would end the process. Later readers still get the error.
    this.on('error', () => {});
    this.#over = limits.silenceMs === undefined ? null : new AbortController();
    if (this.#over !== null && limits.silenceMs !== undefined) void this.#limitSilence(limits.silenceMs, this.#over.signal);
  }

  /** Whether the whole answer has arrived, read or not. A connection that breaks afterwards loses no data. */
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
    else this.fail(Object.assign(new Error('the answer was truncated'), { code: 'ECONNRESET' }));
  }

  /**
   * Uses one timer for the whole body, because one timer per part would cost more than the part. So silence is detected after one to two times its
   * limit.
   */
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
