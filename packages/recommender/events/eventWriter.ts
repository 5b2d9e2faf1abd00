import type { Connection, Database } from '@vouch/platform/database/database';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { NewEvent } from './event.ts';
import type { EventsAnswer } from './event.schema.ts';
import { insertEvents } from './eventStore.ts';

/** Maximum number of events in one transaction; a transaction of this size takes about 50 ms. */
const maxGroup = 2_000;
/** Maximum number of events that wait in memory, and of their bytes. */
const maxWaiting = 50_000;
const maxWaitingBytes = 64 * 2 ** 20;

interface Waiting {
  events: readonly NewEvent[];
  bytes: number;
  resolve(answer: EventsAnswer): void;
  reject(error: unknown): void;
}

/**
 * Stores the events of concurrent requests in common transactions: while one transaction commits, the events of further requests collect for the
 * next. A request is answered after the commit of its transaction.
 */
export class EventWriter {
  private readonly database: Database;
  private readonly clock: Clock;
  private waiting: Waiting[] = [];
  private waitingEvents = 0;
  private waitingBytes = 0;
  private writing = false;

  constructor(database: Database, clock: Clock) {
    this.database = database;
    this.clock = clock;
  }

  /**
   * Stores all of the events, or none.
   * @throws Problem `overloaded` if too many events wait, `database-unavailable`
   */
  async write(events: readonly NewEvent[]): Promise<EventsAnswer> {
    const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
    if (this.waitingEvents + events.length > maxWaiting || this.waitingBytes + bytes > maxWaitingBytes) {
      throw platformErrors.problem('overloaded', `${this.waitingEvents} events wait for the database already. Nothing of this request was stored; send it again in a second.`, {
        headers: { 'retry-after': '1' },
      });
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ events, bytes, resolve, reject });
      this.waitingEvents += events.length;
      this.waitingBytes += bytes;
      if (!this.writing) void this.writeWaiting();
    });
  }

  /** Stores events in the caller's transaction, for a request with an Idempotency-Key. */
  async writeIn(transaction: Connection, events: readonly NewEvent[]): Promise<EventsAnswer> {
    const stored = await insertEvents(transaction, events, new Date(this.clock.now()));
    return answerOf(events, stored);
  }

  private async writeWaiting(): Promise<void> {
    this.writing = true;
    while (this.waiting.length > 0) await this.writeGroup(this.takeGroup());
    this.writing = false;
  }

  private takeGroup(): Waiting[] {
    let count = 0;
    let taken = 0;
    for (const { events } of this.waiting) {
      if (taken > 0 && count + events.length > maxGroup) break;
      count += events.length;
      taken += 1;
    }
    const group = this.waiting.splice(0, taken);
    this.waitingEvents -= count;
    for (const { bytes } of group) this.waitingBytes -= bytes;
    return group;
  }

  private async writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const events = group.flatMap((each) => each.events);
      const stored = await this.database.transaction((transaction) => insertEvents(transaction, events, new Date(this.clock.now())));
      for (const each of group) each.resolve(answerOf(each.events, stored));
    } catch (error) {
      for (const each of group) each.reject(error);
    }
  }
}

function sizeOf(event: NewEvent): number {
  const { target_id: target, source_id: source, type, name, metadata, media_url: media } = event;
  return 200 + target.length + (source?.length ?? 0) + (type?.length ?? 0) + (name?.length ?? 0) + (metadata?.length ?? 0) + (media?.length ?? 0);
}

/** Counts the events; each stored id counts for the first event that has the id. */
function answerOf(events: readonly NewEvent[], stored: Map<string, Set<string>>): EventsAnswer {
  let duplicates = 0;
  for (const { organization_id: organization, event_id: id } of events) {
    if (id !== null && stored.get(organization)?.delete(id) !== true) duplicates += 1;
  }
  return { accepted: events.length - duplicates, duplicates };
}
