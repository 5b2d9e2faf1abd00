import type { Connection } from '@vouch/platform/database/database';
import { findRequests, messageKey, type StoredRequest } from '../../requests/requestStore.ts';

interface Message {
  digest: Buffer;
  signer: Buffer;
}

interface Waiting {
  deployment: string;
  message: Message;
  found(stored: StoredRequest | null): void;
  fail(error: unknown): void;
}

/** Maximum number of messages in one statement. */
const messagesAtOnce = 500;

/**
 * Looks up messages in bulk: a refused message can be a repeat of an accepted one, so a flood of refused messages causes many
 * lookups.
 */
export class RequestFinder {
  readonly #database: Connection;
  #waiting: Waiting[] = [];
  #looking = false;

  constructor(database: Connection) {
    this.#database = database;
  }

  /** Returns the row of a message; null if the message was never stored. */
  find(deployment: string, message: Message): Promise<StoredRequest | null> {
    return new Promise((found, fail) => {
      this.#waiting.push({ deployment, message, found, fail });
      if (this.#looking) return;
      this.#looking = true;
      setImmediate(() => void this.#drain());
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.splice(0, messagesAtOnce);
      await Promise.all([...new Set(taken.map(({ deployment }) => deployment))].map((name) =>
        this.#look(name, taken.filter(({ deployment }) => deployment === name))));
    }
    this.#looking = false;
  }

  async #look(deployment: string, asked: readonly Waiting[]): Promise<void> {
    try {
      const rows = await findRequests(this.#database, deployment, asked.map(({ message }) => message));
      for (const { message, found } of asked) found(rows.get(messageKey(message)) ?? null);
    } catch (error) {
      for (const { fail } of asked) fail(error);
    }
  }
}
