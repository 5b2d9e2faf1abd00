import type { SeededRandom } from '@vouch/platform/process/seededRandom';
import type { NewEvent } from '@vouch/recommender/events/event';

/** A request of a client. */
export interface PlannedRequest {
  name: string;
  atMs: number;
  /** The server that gets the request first; a client that gets no answer repeats the request at another. */
  server: string;
  organization: string;
  does:
    /** Sends interactions, each with an id of its own. */
    | { what: 'interact'; ids: string[]; tags: string[]; inCallersTransaction: boolean }
    | { what: 'show' | 'hide' | 'delete'; entity: string; tags: string[] }
    /** Asks whether lists contain an entity. */
    | { what: 'ask'; entity: string }
    /** Moves events to batches, as a training does at its start. */
    | { what: 'fold' }
    /** Deletes all batches and events with a tag. */
    | { what: 'erase'; tag: string };
}

export const entities = ['film a', 'film b', 'film c', 'film d'];
const tags = ['web', 'app', 'import'];

/** Draws the requests of a run. */
export function drawRequests(random: SeededRandom, { count, untilMs, servers }: { count: number; untilMs: number; servers: readonly string[] }): PlannedRequest[] {
  const drawTags = (): string[] => tags.filter(() => random.uniform() < 0.4);
  const draw = (at: number): PlannedRequest['does'] => {
    const which = random.uniform();
    const entity = random.pick(entities);
    if (which < 0.35) return { what: 'interact', ids: Array.from({ length: 1 + random.below(4) }, (_, place) => `event ${at}.${place}`), tags: drawTags(), inCallersTransaction: random.uniform() < 0.3 };
    if (which < 0.48) return { what: 'show', entity, tags: drawTags() };
    if (which < 0.56) return { what: 'hide', entity, tags: drawTags() };
    if (which < 0.62) return { what: 'delete', entity, tags: [] };
    if (which < 0.90) return { what: 'ask', entity };
    if (which < 0.97) return { what: 'fold' };
    return { what: 'erase', tag: random.pick(tags) };
  };
  return Array.from({ length: count }, (_, at): PlannedRequest => ({
    name: `request ${at + 1}`, atMs: Math.floor(random.uniform() * untilMs), server: random.pick(servers), organization: random.pick(['north', 'north', 'south']), does: draw(at + 1),
  })).sort((one, other) => one.atMs - other.atMs);
}

/** The events of a request, as the routes make them; empty for a request without events. */
export function eventsOf({ organization, does }: PlannedRequest, now: number): NewEvent[] {
  const common = {
    organization_id: organization, event_id: null, source_id: null, type: null, happened_at: null, name: null, metadata: null, media_url: null, available: null, recommendation_id: null,
  };
  switch (does.what) {
    case 'interact':
      return does.ids.map((id) => ({ ...common, kind: 'interaction', event_id: id, tags: does.tags, target_id: id, source_id: 'somebody', type: 'view', happened_at: now }));
    case 'show':
    case 'hide':
      return [{ ...common, kind: 'entity', tags: does.tags, target_id: does.entity, type: 'film', available: does.what === 'show' }];
    case 'delete':
      return [{ ...common, kind: 'deletion', tags: [], target_id: does.entity, available: false }];
    default:
      return [];
  }
}
