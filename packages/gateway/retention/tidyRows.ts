import type { Transactor } from '@vouch/platform/database/database';
import type { Logger } from '@vouch/platform/log/logger';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import { Counter, type Registry } from 'prom-client';
import { removeEnded, type Removed } from './removeEnded.ts';
import { addTotals } from './totalsStore.ts';

/** Interval in ms of counting ended transactions: until then, each scrape of the metrics reads their rows. */
const countMs = 15_000;
/** Interval in ms of looking for rows to remove, after a look that found none. */
const lookMs = 600_000;
/** Pause in ms after a failure. */
const retryMs = 60_000;
/** Time in ms after which a turn ends although rows are left; the relayer's pipeline waits for the turn. */
const turnMs = 150;
/** Maximum number of transactions that one statement counts. */
const transactionsAtOnce = 250;
const dayMs = 86_400_000;

/** Dependencies of the removal of rows. */
interface TidyParts {
  database: Transactor;
  log: Logger;
  clock: Clock;
  /** Monotonic clock in ms. */
  elapsedMs(): number;
}

/** Counts and removes ended rows between the steps of a relayer lane. A restart loses no state. */
export interface RowTidier {
  /** Runs one short turn if one is due. Never rejects: a failure is logged, and the rows are looked at again after a minute. */
  tidy(parts: TidyParts, signal: AbortSignal): Promise<void>;
}

/** Settings and counter of the removal, shared by all lanes of a process. */
export interface Retention {
  /** Age in days after which ended messages and transactions are removed; 0 keeps them. */
  days: number;
  note(removed: Removed): void;
}

/** Creates the retention of a process, with its metric. */
export function createRetention(days: number, metrics: Registry): Retention {
  const counter = new Counter({
    name: 'vouch_gateway_removed_total', help: 'Ended messages and transactions that this process removed because they are older than VOUCH_GATEWAY_RETENTION_DAYS.',
    labelNames: ['what'], registers: [metrics],
  });
  return {
    days,
    note({ messages, transactions }) {
      counter.inc({ what: 'messages' }, messages);
      counter.inc({ what: 'transactions' }, transactions);
    },
  };
}

/** Creates the tidier of one relayer lane. */
export function createRowTidier({ days, note }: Retention): RowTidier {
  /** Times by `elapsedMs`. */
  let countAtMs = -Infinity;
  let removeAtMs = -Infinity;
  let run: Removed = { messages: 0, transactions: 0 };

  async function count({ database, elapsedMs }: TidyParts, hasTime: () => boolean): Promise<void> {
    let added: number;
    do added = await addTotals(database, transactionsAtOnce); while (added === transactionsAtOnce && hasTime());
    if (added < transactionsAtOnce) countAtMs = elapsedMs() + countMs;
  }

  async function remove({ database, log, clock, elapsedMs }: TidyParts, hasTime: () => boolean): Promise<void> {
    const before = new Date(clock.now() - days * dayMs);
    while (hasTime()) {
      const removed = await removeEnded(database, before);
      note(removed);
      run = { messages: run.messages + removed.messages, transactions: run.transactions + removed.transactions };
      if (removed.messages + removed.transactions > 0) continue;
      removeAtMs = elapsedMs() + lookMs;
      if (run.messages + run.transactions > 0) log.info({ ...run, before: before.toISOString() }, 'ended messages and transactions were removed; bills and totals keep their sums');
      run = { messages: 0, transactions: 0 };
      return;
    }
  }

  return {
    async tidy(parts, signal) {
      const { log, elapsedMs } = parts;
      const since = elapsedMs();
      const hasTime = (): boolean => !signal.aborted && elapsedMs() - since < turnMs;
      try {
        if (elapsedMs() >= countAtMs) await count(parts, hasTime);
        if (days > 0 && elapsedMs() >= removeAtMs) await remove(parts, hasTime);
      } catch (error) {
        // The lane must continue to send: the rows are looked at again later.
        if (!signal.aborted) log.warn({ reason: (error as Error).message }, 'ended messages could not be counted or removed; this is tried again');
        countAtMs = elapsedMs() + retryMs;
        removeAtMs = countAtMs;
      }
    },
  };
}
