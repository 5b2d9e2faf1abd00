import { follow } from '@vouch/platform/database/follow';
import type { Background } from '@vouch/platform/process/repeat';
import type { Platform } from '@vouch/platform/product/product';
import { eventsChannel, findStart, listEvents, listHidden } from './eventStore.ts';
import { keptEvents, type RecentEvents } from './recentEvents.ts';

/** Longest time between two looks at the database; notifications cause earlier looks. */
const pollMs = 500;
const pageEvents = 2_000;

/**
 * Keeps the newest events of all organizations in memory, until `stop` is called. Events become visible in the order of their numbers, so nothing is
 * missed after the last number.
 */
export function followEvents({ database, log, timers }: Pick<Platform, 'database' | 'log' | 'timers'>, recent: RecentEvents): Background {
  let last = -1;

  async function look(stopping: AbortSignal): Promise<void> {
    if (last < 0) {
      const start = await findStart(database, keptEvents);
      // Before the events, because later events change what is hidden.
      for (const [organizationId, id] of await listHidden(database)) recent.of(organizationId).setHidden(id, true);
      last = start;
    }
    for (let page = pageEvents; page === pageEvents && !stopping.aborted;) {
      const events = await listEvents(database, last, pageEvents);
      for (const event of events) recent.add(event);
      last = events.at(-1)?.sequence ?? last;
      page = events.length;
    }
  }

  return follow({ database, log, timers }, { channel: eventsChannel, pollMs, what: 'events' }, look);
}
