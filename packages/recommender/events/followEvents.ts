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
export function followEvents({ database, log, timers }: Pick<Platform, 'database' | 'log' | 'timers'>, recent: RecentEvents): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let wake = new AbortController();
  let last = -1;

  async function look(): Promise<void> {
    if (last < 0) {
      const start = await findStart(database, keptEvents);
      // Before the events, because later events change what is hidden.
      for (const [organizationId, id] of await listHidden(database)) recent.of(organizationId).setHidden(id, true);
      last = start;
    }
    for (let page = pageEvents; page === pageEvents && !stopping.signal.aborted;) {
      const events = await listEvents(database, last, pageEvents);
      for (const event of events) recent.add(event);
      last = events.at(-1)?.sequence ?? last;
      page = events.length;
    }
  }

  async function follow(): Promise<void> {
    const silence = await database.listen(eventsChannel, () => wake.abort()).catch((error: unknown) => {
      log.warn({ err: error }, 'announcements of events cannot be heard; polling');
      return async () => {};
    });
    while (!stopping.signal.aborted) {
      wake = new AbortController();
      await look().catch((error: unknown) => log.warn({ err: error }, 'new events cannot be read'));
      await timers.sleep(pollMs, AbortSignal.any([stopping.signal, wake.signal]));
    }
    await silence();
  }

  const following = follow();
  return {
    async stop() {
      stopping.abort();
      await following;
    },
  };
}
