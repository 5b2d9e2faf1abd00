import { platformErrors } from '@vouch/platform/errors/platformErrors';

/** Uploads that may wait for their turn; each holds a connection and nothing else. */
const maximumWaiting = 100;
const retryAfterSeconds = 30;

/** Lets a bounded number of files be read at once; the others wait, their senders held back by the full connection. */
export class UploadGate {
  private readonly places: number;
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(places: number) {
    this.places = places;
  }

  /** Runs the work when there is a place. @throws Problem `overloaded` where too many wait already; the signal's reason */
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
    if (this.waiting.length >= maximumWaiting) {
      throw platformErrors.problem('overloaded', `${maximumWaiting} uploads are waiting already. Repeat this one in ${retryAfterSeconds} seconds.`, {
        headers: { 'retry-after': String(retryAfterSeconds) },
      });
    }
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        const place = this.waiting.indexOf(enter);
        if (place >= 0) this.waiting.splice(place, 1);
        reject(signal.reason as Error);
      };
      this.waiting.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
