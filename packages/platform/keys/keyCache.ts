import type { Clock } from '../process/doors.ts';

/** What a key stands for, or null for a key that is not valid. */
export interface KeyCache<Identity> {
  /** Returns the remembered answer, or looks it up; lookups of one hash at one time are one. */
  get(hash: string, lookUp: () => Promise<{ identity: Identity | null; expiresAt: number | null }>): Promise<Identity | null>;
  clear(): void;
}

/**
 * Remembers answers for a short time.
 * @param rememberMs how long an answer is used
 * @param entriesMax when it is full, the oldest answer goes
 */
export function createKeyCache<Identity>(clock: Clock, rememberMs: number, entriesMax: number): KeyCache<Identity> {
  interface Entry { answer: Promise<{ identity: Identity | null; expiresAt: number | null }>; until: number }
  const entries = new Map<string, Entry>();
  return {
    async get(hash, lookUp) {
      const now = clock.now();
      let entry = entries.get(hash);
      if (entry === undefined || entry.until <= now) {
        entries.delete(hash);
        const oldest = entries.keys().next();
        if (entries.size >= entriesMax && oldest.done !== true) entries.delete(oldest.value);
        // Remembered before the answer is there: a clear in the meantime forgets it as well.
        entry = { answer: lookUp(), until: now + rememberMs };
        entries.set(hash, entry);
        const made = entry;
        made.answer.catch(() => {
          if (entries.get(hash) === made) entries.delete(hash);
        });
      }
      const { identity, expiresAt } = await entry.answer;
      return expiresAt !== null && expiresAt <= clock.now() ? null : identity;
    },
    clear: () => entries.clear(),
  };
}
