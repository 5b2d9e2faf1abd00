import type { Connection, Database } from '@vouch/platform/database/database';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { RecentSenders } from '@vouch/platform/process/recentSenders';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { NewEvent } from './event.ts';
import type { EventsAnswer } from './event.schema.ts';
import { insertEvents } from './eventStore.ts';
import type { RecentEvents } from './recentEvents.ts';
import { answerOf } from './warnOfEvents.ts';

/** Maximum number of events in one transaction; a transaction of this size takes about 50 ms. */
const maxGroup = 2_000;
/**
 * Maximum number of events in one transaction while several organizations send events, so that those of one do not delay the commit of the others': an event
 * waits for the transaction in progress and for its own, and each event of another organization in them takes about 0.2 ms with its request and its answer.
 */
const maxSharedGroup = 32;
/** Number of transactions that stay short after the organization whose turn comes first has changed. */
const sharedTransactions = 100;
/** Maximum number of events that wait in memory, and of their bytes. An organization may fill as many of these places as remain free. */
const maxWaiting = 50_000;
const maxWaitingBytes = 64 * 2 ** 20;

interface Waiting {
  events: readonly NewEvent[];
  bytes: number;
  resolve(answer: EventsAnswer): void;
  reject(error: unknown): void;
}

/** The waiting requests of an organization. */
interface Queue {
  requests: Waiting[];
  events: number;
  bytes: number;
}

/**
 * Stores the events of concurrent requests in common transactions: while one transaction commits, the events of further requests collect for the
 * next, in which organizations take turns. A request is answered after the commit of its transaction, and after the memory of the process contains the changes.
 */
export class EventWriter {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly recent: RecentEvents;
  /** Queues by organization; the organization whose turn is next comes first. */
  private readonly queues = new Map<string, Queue>();
  private waitingEvents = 0;
  private waitingBytes = 0;
  private writing = false;
  /** Number of transactions so far. */
  private transactions = 0;
  /** Organizations whose turn came first in a transaction: one that sends few events rarely waits when a transaction begins, so earlier transactions count. */
  private readonly organizations = new RecentSenders(sharedTransactions, () => this.transactions);

  /** @param recent memory of the process that answers lists */
  constructor(database: Database, clock: Clock, recent: RecentEvents) {
    this.database = database;
    this.clock = clock;
    this.recent = recent;
  }

  /**
   * Stores all of the events, or none.
   * @param events of one organization
   * @throws Problem `too-many-in-progress` if too many events of the organization wait, `database-unavailable`
   */
  async write(organizationId: string, events: readonly NewEvent[]): Promise<EventsAnswer> {
    const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
    const queue = this.queues.get(organizationId) ?? { requests: [], events: 0, bytes: 0 };
    if (queue.events + events.length > maxWaiting - this.waitingEvents || queue.bytes + bytes > maxWaitingBytes - this.waitingBytes) {
      throw platformErrors.problem('too-many-in-progress', `${queue.events} events of the organization wait for the database already. Nothing of this request was stored; send it again in a second.`, {
        headers: { 'retry-after': '1' },
      });
    }
    return new Promise((resolve, reject) => {
      queue.requests.push({ events, bytes, resolve, reject });
      this.queues.set(organizationId, queue);
      this.count(queue, events.length, bytes);
      if (!this.writing) void this.writeWaiting();
    });
  }

  /**
   * Stores events in the caller's transaction, for a request with an Idempotency-Key.
   * @returns `show`: must be called after the commit, before the answer is sent
   */
  async writeIn(transaction: Connection, events: readonly NewEvent[]): Promise<{ answer: EventsAnswer; show(): void }> {
    const stored = await insertEvents(transaction, events, new Date(this.clock.now()));
    return { answer: answerOf(events, stored), show: () => this.recent.showStored(stored.changes) };
  }

  private async writeWaiting(): Promise<void> {
    this.writing = true;
    while (this.queues.size > 0) await this.writeGroup(this.takeGroup());
    this.writing = false;
  }

  /** Removes requests for one transaction, one request of each organization in turn. */
  private takeGroup(): Waiting[] {
    const most = this.isShared() ? maxSharedGroup : maxGroup;
    const group: Waiting[] = [];
    let count = 0;
    // A queue that is set again comes last, and the loop reaches it again.
    for (const [organizationId, queue] of this.queues) {
      const [next] = queue.requests;
      if (next === undefined || (group.length > 0 && count + next.events.length > most)) continue;
      queue.requests.shift();
      this.count(queue, -next.events.length, -next.bytes);
      this.queues.delete(organizationId);
      if (queue.requests.length > 0) this.queues.set(organizationId, queue);
      group.push(next);
      count += next.events.length;
    }
    return group;
  }

  /** Whether several organizations share the transaction that begins now. */
  private isShared(): boolean {
    this.transactions += 1;
    const [first, second] = this.queues.keys();
    for (const organizationId of [second, first]) if (organizationId !== undefined) this.organizations.note(organizationId);
    return this.organizations.areSeveral();
  }

  /** Adds to the numbers of waiting events and bytes, of the organization and in total. */
  private count(queue: Queue, events: number, bytes: number): void {
    queue.events += events;
    queue.bytes += bytes;
    this.waitingEvents += events;
    this.waitingBytes += bytes;
  }

  private async writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const events = group.flatMap((each) => each.events);
      const stored = await this.database.transaction((transaction) => insertEvents(transaction, events, new Date(this.clock.now())));
      this.recent.showStored(stored.changes);
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
