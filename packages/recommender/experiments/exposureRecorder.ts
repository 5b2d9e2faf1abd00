import { repeat, type Background } from '@vouch/platform/process/repeat';
import type { Platform } from '@vouch/platform/product/product';
import { delayErasures } from '../erasure/erasureLock.ts';
import { storeExposures, storeSharedAnswers, type Exposure, type SharedAnswer } from './exposureStore.ts';

/** Time between two transactions. */
const flushMs = 1_000;
/** Maximum number of users, and of shared answers, that wait in memory; further ones are not counted. */
const maxWaiting = 20_000;
/** Number of users that a process remembers as stored, so that their later answers cost nothing. */
const maxKnown = 100_000;
/** A longer id has no interactions, because the ids of events are at most this long. */
const maxIdBytes = 1_024;

/**
 * Records the users of experiments, each once. An answer never waits for the recording: users wait in memory for at most a second, and are then stored in
 * one statement; if the database is unavailable, they wait for the next. A crash loses the users of the last second until their next answer, in both arms alike.
 */
export class ExposureRecorder {
  private readonly platform: Pick<Platform, 'clock' | 'database' | 'log'>;
  private waiting = new Map<string, Exposure>();
  private waitingAnswers: SharedAnswer[] = [];
  /** Whether a stored user had an empty list, by run and user. */
  private readonly known = new Map<string, boolean>();
  private dropped = 0;

  constructor(platform: Pick<Platform, 'clock' | 'database' | 'log'>) {
    this.platform = platform;
  }

  /** Records that a user got an answer now. */
  record(exposure: Omit<Exposure, 'exposedAt'>): void {
    const { run, userId, empty } = exposure;
    if (Buffer.byteLength(userId) > maxIdBytes) return;
    const key = `${run}/${userId}`;
    const stored = this.known.get(key);
    if (stored !== undefined && (stored || !empty)) return;
    const waiting = this.waiting.get(key);
    if (waiting !== undefined) waiting.empty ||= empty;
    else if (this.waiting.size >= maxWaiting) this.dropped += 1;
    else this.waiting.set(key, { ...exposure, exposedAt: new Date(this.platform.clock.now()) });
  }

  /** Records an answer that the arms share, given now. */
  recordShared(answer: Omit<SharedAnswer, 'answeredAt'>): void {
    if (Buffer.byteLength(answer.userId) > maxIdBytes) return;
    if (this.waitingAnswers.length >= maxWaiting) this.dropped += 1;
    else this.waitingAnswers.push({ ...answer, answeredAt: new Date(this.platform.clock.now()) });
  }

  /** Stores what waits. Does not throw: what cannot be stored waits for the next call. */
  async flush(): Promise<void> {
    const users = this.waiting;
    const answers = this.waitingAnswers;
    this.waiting = new Map();
    this.waitingAnswers = [];
    const { database, log } = this.platform;
    try {
      if (users.size + answers.length > 0) {
        await database.transaction(async (transaction) => {
          await delayErasures(transaction);
          if (users.size > 0) await storeExposures(transaction, [...users.values()]);
          if (answers.length > 0) await storeSharedAnswers(transaction, answers);
        });
      }
      if (this.known.size + users.size > maxKnown) this.known.clear();
      for (const [key, { empty }] of users) this.known.set(key, empty);
    } catch (error) {
      log.warn({ err: error, users: users.size, answers: answers.length }, 'users of experiments could not be stored; trying again');
      this.putBack(users, answers);
    }
    if (this.dropped > 0) log.warn({ dropped: this.dropped }, 'users or answers of experiments were not counted, because too many wait for the database');
    this.dropped = 0;
  }

  private putBack(users: ReadonlyMap<string, Exposure>, answers: readonly SharedAnswer[]): void {
    for (const [key, exposure] of users) {
      const later = this.waiting.get(key);
      if (later === undefined && this.waiting.size >= maxWaiting) this.dropped += 1;
      else this.waiting.set(key, { ...exposure, empty: exposure.empty || later?.empty === true });
    }
    const kept = answers.slice(0, Math.max(0, maxWaiting - this.waitingAnswers.length));
    this.dropped += answers.length - kept.length;
    this.waitingAnswers.unshift(...kept);
  }
}

/** Stores the users of experiments every second until `stop` is called., which stores the last ones. */
export function recordExposures({ timers }: Pick<Platform, 'timers'>, recorder: ExposureRecorder): Background {
  const repeating = repeat(timers, flushMs, () => recorder.flush());
  return {
    async stop() {
      await repeating.stop();
      await recorder.flush();
    },
  };
}
