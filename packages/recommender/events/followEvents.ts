import { follow } from '@vouch/platform/database/follow';
import type { Background } from '@vouch/platform/process/repeat';
import type { Platform } from '@vouch/platform/product/product';
import { eventsChannel, findStart, listEvents, listHidden } from './eventStore.ts';
import { keptEvents, type RecentEvents } from './recentEvents.ts';

/** Longest time in ms between two looks at the database; notifications cause earlier looks. */
const usualPollMs = 500;
const pageEvents = 2_000;

/**
 * Reads the newest events of all organizations into the memory of one process. Events become visible in the order of their numbers, so nothing is missed after
 * the last number.
 */
export class EventFollower {
  private readonly database: Platform['database'];
  private readonly recent: RecentEvents;
  /** Number of the last event that was read; -1 before the first look. */
  private last = -1;
  private isCaughtUp = false;
  private looking: Promise<void> = Promise.resolve();

  constructor({ database }: Pick<Platform, 'database'>, recent: RecentEvents) {
    this.database = database;
    this.recent = recent;
  }

  /**
   * Resolves when the memory contains all events that were stored before the start of the process. A list that did not wait for this could contain deleted entities
   * and what its user has bought.
   * @throws Problem database-unavailable
   */
  async catchUp(): Promise<void> {
    // A look that is in progress ends first; if it fails, the error of the own look is thrown.
    if (!this.isCaughtUp) await this.look(new AbortController().signal);
  }

  /** Reads the events that are new. Looks never overlap. @throws Problem database-unavailable */
  look(stopping: AbortSignal): Promise<void> {
    const looking = this.looking.catch(() => undefined).then(() => this.read(stopping));
    this.looking = looking;
    return looking;
  }

  private async read(stopping: AbortSignal): Promise<void> {
    const { database, recent } = this;
    if (this.last < 0) {
      const start = await findStart(database, keptEvents);
      // Before the events, because later events change what is hidden.
      for (const [organizationId, id] of await listHidden(database)) recent.of(organizationId).setHidden(id, true);
      this.last = start;
    }
    for (let page = pageEvents; page === pageEvents && !stopping.aborted;) {
      const events = await listEvents(database, this.last, pageEvents);
      for (const event of events) recent.add(event);
      this.last = events.at(-1)?.sequence ?? this.last;
      page = events.length;
      if (page < pageEvents) this.isCaughtUp = true;
    }
  }
}

/** Keeps the memory of a process up to date until `stop` is called. */
export function followEvents({ database, log, timers }: Pick<Platform, 'database' | 'log' | 'timers'>, follower: EventFollower, pollMs = usualPollMs): Background {
  return follow({ database, log, timers }, { channel: eventsChannel, pollMs, what: 'events' }, (stopping) => follower.look(stopping));
}
