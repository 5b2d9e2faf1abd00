import { escapeIdentifier, type Client } from 'pg';
import type { Logger } from '../log/logger.ts';
import type { Timers } from '../process/systemInterfaces.ts';
import { translateDatabaseError } from './databaseErrors.ts';

interface ListenerOptions {
  connect(): Promise<Client>;
  log: Logger;
  timers: Timers;
}

export interface Listener {
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const retryMsMin = 200;
const maxRetryMs = 5_000;

/**
 * Creates a listener: one connection that listens on all channels. A lost connection is reopened. Then all hearers are called with an empty payload,
 * because notifications may have been missed.
 */
export function createListener({ connect, log, timers }: ListenerOptions): Listener {
  const hearers = new Map<string, Set<(payload: string) => void>>();
  const closing = new AbortController();
  let opening: Promise<Client> | null = null;
  // pg requires that statements on one client run one after the other.
  let statements: Promise<unknown> = Promise.resolve();

  function inTurn(client: Client, sql: string): Promise<unknown> {
    const result = statements.then(() => client.query(sql));
    statements = result.catch(() => {});
    return result;
  }

  function call(hearer: (payload: string) => void, payload: string): void {
    try {
      hearer(payload);
    } catch (error) {
      log.error({ err: error }, 'a notification listener failed');
    }
  }

  async function open(): Promise<Client> {
    const client = await connect();
    client.on('notification', ({ channel, payload }) => {
      for (const hearer of hearers.get(channel) ?? []) call(hearer, payload ?? '');
    });
    for (const channel of hearers.keys()) await inTurn(client, `LISTEN ${escapeIdentifier(channel)}`);
    client.once('end', () => {
      opening = null;
      if (!closing.signal.aborted && hearers.size > 0) void reopen();
    });
    return client;
  }

  async function reopen(): Promise<void> {
    for (let wait = retryMsMin; !closing.signal.aborted && hearers.size > 0; wait = Math.min(wait * 2, maxRetryMs)) {
      try {
        await current();
        for (const all of hearers.values()) for (const hearer of all) call(hearer, '');
        return;
      } catch (error) {
        log.warn({ reason: (error as Error).message }, 'lost the database connection for notifications; reconnecting');
        await timers.sleep(wait, closing.signal);
      }
    }
  }

  function current(): Promise<Client> {
    opening ??= open().catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  return {
    async listen(channel, heard) {
      const known = hearers.get(channel) ?? new Set();
      hearers.set(channel, known.add(heard));
      try {
        await inTurn(await current(), `LISTEN ${escapeIdentifier(channel)}`);
      } catch (error) {
        known.delete(heard);
        if (known.size === 0) hearers.delete(channel);
        throw translateDatabaseError(error);
      }
      return async () => {
        known.delete(heard);
        if (known.size > 0 || hearers.get(channel) !== known) return;
        hearers.delete(channel);
        const client = await opening?.catch(() => null);
        if (client) await inTurn(client, `UNLISTEN ${escapeIdentifier(channel)}`).catch(() => {});
      };
    },
    async close() {
      closing.abort();
      const client = await opening?.catch(() => null);
      await client?.end().catch(() => {});
    },
  };
}
