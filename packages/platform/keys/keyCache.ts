import type { SystemInterfaces } from '../process/systemInterfaces.ts';

/** Caches the identity of each key; null for an invalid key. */
export interface KeyCache<Identity> {
  /** Returns the cached answer, or calls `lookUp`. Concurrent calls for one hash share one lookup. */
  get(hash: string, lookUp: () => Promise<{ identity: Identity | null; expiresAt: number | null }>): Promise<Identity | null>;
  /** Returns the cached answer; undefined if a lookup is needed or still running. */
  peek(hash: string): Identity | null | undefined;
  clear(): void;
}

/**
 * Creates a cache with a short lifetime.
 * @param rememberMs time in ms for which an answer is used
 * @param maxEntries upper bound; a full cache drops its oldest answer
 */
export function createKeyCache<Identity>({ clock, elapsedMs }: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>, rememberMs: number, maxEntries: number): KeyCache<Identity> {
  interface Answer { identity: Identity | null; expiresAt: number | null }
  /** `until` is a time by `elapsedMs`. */
  interface Entry { answer: Promise<Answer>; known: Answer | null; until: number }
  const entries = new Map<string, Entry>();

  function stillValid({ identity, expiresAt }: Answer): Identity | null {
    return expiresAt !== null && expiresAt <= clock.now() ? null : identity;
  }

  return {
    async get(hash, lookUp) {
      const now = elapsedMs();
      let entry = entries.get(hash);
      if (entry === undefined || entry.until <= now) {
        entries.delete(hash);
        const oldest = entries.keys().next();
        if (entries.size >= maxEntries && oldest.done !== true) entries.delete(oldest.value);
        // The entry is stored before its answer arrives, so that a `clear` in the meantime drops it too.
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
      return entry === undefined || entry.known === null || entry.until <= elapsedMs() ? undefined : stillValid(entry.known);
    },
    clear: () => entries.clear(),
  };
}
