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
  #silence: AbortController | null = null;
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
  }

  /** Whether all of the answer has come, read or not: a connection that breaks after that takes nothing away. */
  get isWhole(): boolean {
    return this.#incoming.complete;
  }

  fail(error: Error): void {
    this.destroy(describeFault(error, this.#limits.host));
  }

  override _read(): void {
    this.#limitSilence();
    this.#incoming.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#silence?.abort();
    this.#incoming.destroy();
    done(error);
  }

  #take(part: Buffer): void {
    if (this.push(part)) {
      this.#limitSilence();
    } else {
      this.#silence?.abort();
      this.#incoming.pause();
    }
  }

  #end(): void {
    if (this.#ended || this.destroyed) return;
    this.#ended = true;
    this.#silence?.abort();
    if (this.#incoming.complete) this.push(null);
    else this.fail(Object.assign(new Error('the answer was cut off'), { code: 'ECONNRESET' }));
  }

  #limitSilence(): void {
    const { host, silenceMs } = this.#limits;
    this.#silence?.abort();
    if (silenceMs === undefined || this.#ended) return;
    const broken = new AbortController();
    this.#silence = broken;
    void this.#timers.sleep(silenceMs, broken.signal, false).then(() => {
      if (!broken.signal.aborted) this.destroy(new OutboundFailed('silent', host, `sent nothing of its answer for ${silenceMs / 1000} s`));
    });
  }
}
