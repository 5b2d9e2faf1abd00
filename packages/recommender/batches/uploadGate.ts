import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Problem } from '@vouch/platform/errors/problem';
import type { Timers } from '@vouch/platform/process/doors';

/** Uploads that may wait for their turn; each holds a connection and nothing else. */
const maximumWaiting = 100;
/** Long enough for the files of a few others; whoever holds a place may send as long as the file is large. */
const maximumWaitMs = 600_000;
const retryAfterSeconds = 30;

/** Lets a bounded number of files be read at once; the others wait, their senders held back by the full connection. */
export class UploadGate {
  private readonly places: number;
  private readonly timers: Timers;
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(places: number, timers: Timers) {
    this.places = places;
    this.timers = timers;
  }

  /** Runs the work when there is a place. @throws Problem `overloaded` where too many wait already, or none comes free in time; the signal's reason */
  async pass<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    if (this.taken >= this.places) await this.wait(signal);
    else this.taken++;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.taken--;
      else next();
    }
  }

  /** Waits until a place is handed over. */
  private async wait(signal: AbortSignal): Promise<void> {
    if (this.waiting.length >= maximumWaiting) throw overloaded(`${maximumWaiting} uploads are waiting already`);
    const over = new AbortController();
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        over.abort();
        signal.removeEventListener('abort', gone);
        resolve();
      };
      const leave = (reason: unknown): void => {
        const place = this.waiting.indexOf(enter);
        if (place < 0) return;
        this.waiting.splice(place, 1);
        over.abort();
        signal.removeEventListener('abort', gone);
        reject(reason as Error);
      };
      const gone = (): void => leave(signal.reason);
      this.waiting.push(enter);
      signal.addEventListener('abort', gone, { once: true });
      void this.timers.sleep(maximumWaitMs, over.signal, false).then(() => {
        leave(overloaded(`${maximumWaitMs / 60_000} minutes passed and the files of ${this.places} other uploads (VOUCH_UPLOAD_CONCURRENCY) still arrive`));
      });
    });
  }
}

function overloaded(why: string): Problem {
  return platformErrors.problem('overloaded', `${why}. Nothing of this one was stored; repeat it in ${retryAfterSeconds} seconds.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
