import type { Clock } from '../process/doors.ts';

/** What a key stands for, or null for a key that is not valid. */
export interface KeyCache<Identity> {
  /** Returns the remembered answer, or looks it up; lookups of one hash at one time are one. */
  get(hash: string, lookUp: () => Promise<{ identity: Identity | null; expiresAt: number | null }>): Promise<Identity | null>;
  /** The remembered answer where it is there already; undefined where it has to be looked up or waited for. */
  peek(hash: string): Identity | null | undefined;
  clear(): void;
}

/**
 * Remembers answers for a short time.
 * @param rememberMs how long an answer is used
 * @param maxEntries when it is full, the oldest answer goes
 */
export function createKeyCache<Identity>(clock: Clock, rememberMs: number, maxEntries: number): KeyCache<Identity> {
  interface Answer { identity: Identity | null; expiresAt: number | null }
  interface Entry { answer: Promise<Answer>; known: Answer | null; until: number }
  const entries = new Map<string, Entry>();

  function stillValid({ identity, expiresAt }: Answer): Identity | null {
    return expiresAt !== null && expiresAt <= clock.now() ? null : identity;
  }

  return {
    async get(hash, lookUp) {
      const now = clock.now();
      let entry = entries.get(hash);
      if (entry === undefined || entry.until <= now) {
        entries.delete(hash);
        const oldest = entries.keys().next();
        if (entries.size >= maxEntries && oldest.done !== true) entries.delete(oldest.value);
        // Remembered before the answer is there: a clear in the meantime forgets it as well.
        entry = { answer: lookUp(), known: null, until: now + rememberMs };
        entries.set(hash, entry);
        const made = entry;
        made.answer.then(
          (answer) => { made.known = answer; },
          () => { if (entries.get(hash) === made) entries.delete(hash); },
        );
      }
      return stillValid(await entry.answer);
    },
    peek(hash) {
      const entry = entries.get(hash);
      return entry === undefined || entry.known === null || entry.until <= clock.now() ? undefined : stillValid(entry.known);
    },
    clear: () => entries.clear(),
  };
}
