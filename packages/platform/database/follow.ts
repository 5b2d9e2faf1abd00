import type { Logger } from '../log/logger.ts';
import { runUntilStopped, type Background } from '../process/repeat.ts';
import type { Timers } from '../process/systemInterfaces.ts';
import { underAny } from '../process/underAny.ts';
import type { Database } from './database.ts';

interface Followed {
  channel: string;
  /** Longest time between two looks at the database; notifications cause earlier looks. */
  pollMs: number;
  /** What a look reads, in the plural, for the log: `events`. */
  what: string;
}

/**
 * Calls `look` at once, after each notification of a channel and at the latest every `pollMs`, until `stop` is called. Looks never overlap. A failed look is
 * logged, and the next one follows.
 * @param look reads what has changed; the signal aborts with `stop`
 */
export function follow(
  { database, log, timers }: { database: Pick<Database, 'listen'>; log: Pick<Logger, 'warn'>; timers: Timers }, { channel, pollMs, what }: Followed, look: (stopping: AbortSignal) => Promise<void>,
): Background {
  let wake = new AbortController();
  return runUntilStopped(async (stopping) => {
    const silence = await database.listen(channel, () => wake.abort()).catch((error: unknown) => {
      log.warn({ err: error }, `announcements of ${what} cannot be heard; polling`);
      return async () => {};
    });
    while (!stopping.aborted) {
      wake = new AbortController();
      await look(stopping).catch((error: unknown) => log.warn({ err: error }, `${what} cannot be read`));
      await underAny([stopping, wake.signal], (signal) => timers.sleep(pollMs, signal));
    }
    await silence();
  });
}
