import type { Database } from '../database/database.ts';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';

export interface LastUsed {
  /** Records the use of a key; returns at once. */
  note(keyId: string): void;
  close(): Promise<void>;
}

const intervalMs = 60_000;
const maxRemembered = 10_000;

/** Writes the time of a key's last use, in the background and at most once per minute and key. */
export function createLastUsed(database: Database, { elapsedMs }: Pick<SystemInterfaces, 'elapsedMs'>, log: Logger): LastUsed {
  const written = new Map<string, number>();
  const pending = new Set<string>();
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    while (pending.size > 0) {
      const ids = [...pending];
      pending.clear();
      try {
        await database.query(
          `UPDATE keys SET last_used_at = now()
           WHERE id = ANY($1) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`, [ids]);
      } catch (error) {
        log.warn({ reason: (error as Error).message }, 'could not record the last use of keys');
      }
    }
  }

  return {
    note(keyId) {
      const now = elapsedMs();
      if (now - (written.get(keyId) ?? -Infinity) < intervalMs) return;
      if (written.size >= maxRemembered) written.clear();
      written.set(keyId, now);
      pending.add(keyId);
      writing ??= write().finally(() => { writing = null; });
    },
    async close() {
      await writing;
    },
  };
}
