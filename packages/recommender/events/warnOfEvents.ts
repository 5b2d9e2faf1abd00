import type { NewEvent } from './event.ts';
import type { EventsAnswer } from './event.schema.ts';
import type { Stored } from './eventStore.ts';
import { isPadded, isPlaceholder } from '../batches/scan/oddIds.ts';

export type EventWarning = NonNullable<EventsAnswer['warnings']>[number];

/** End of the year 1970, in ms since the Unix epoch. */
const yearMs = 365 * 24 * 3_600_000;

/** Counts the events of a request, and names those without the intended effect. Each stored id counts for the first event that has the id. */
export function answerOf(events: readonly NewEvent[], { ids, first }: Stored): EventsAnswer {
  const different: NewEvent[] = [];
  const early: NewEvent[] = [];
  let duplicates = 0;
  for (const event of events) {
    const { organization_id: organization, event_id: id, happened_at: time } = event;
    if (time !== null && time >= 0 && time < yearMs) early.push(event);
    if (id === null || ids.get(organization)?.delete(id) === true) continue;
    duplicates += 1;
    const held = first.get(organization)?.get(id);
    if (held !== undefined && contentOf(held) !== contentOf(event)) different.push(event);
  }
  const warnings = [...ofDifferent(different), ...ofEarly(early), ...ofIds(events)];
  return { accepted: events.length - duplicates, duplicates, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** What an event says. A client that sends an event again may state another time. */
function contentOf({ source_id: source, target_id: target, type }: Pick<NewEvent, 'source_id' | 'target_id' | 'type'>): string {
  return JSON.stringify([source, target, type]);
}

function ofDifferent(events: readonly NewEvent[]): EventWarning[] {
  const [event] = events;
  if (event === undefined) return [];
  return [{
    code: 'reused-ids',
    detail: `${events.length} ${events.length === 1 ? 'event was' : 'events were'} not stored, because the id was received before with another source, target or type, such as ${JSON.stringify(event.event_id)} ` +
      `of ${JSON.stringify(event.source_id)} and ${JSON.stringify(event.target_id)}. An id names one event: give each item of an order its own, such as order-4711-1, and send these events again.`,
  }];
}

function ofIds(events: readonly NewEvent[]): EventWarning[] {
  const ids = new Set(events.filter(({ kind }) => kind !== 'deletion').flatMap(({ source_id: source, target_id: target }) => (source === null ? [target] : [source, target])));
  const padded = [...ids].filter(isPadded);
  const placeholders = [...ids].filter(isPlaceholder);
  const warnings: EventWarning[] = [];
  if (padded.length > 0) {
    warnings.push({
      code: 'padded-ids',
      detail: `${padded.length} ${padded.length === 1 ? 'id begins or ends' : 'ids begin or end'} with a blank, such as ${JSON.stringify(padded[0])}. With and without the blank, it is two entities, each with a part of the history. Send ids without these blanks.`,
    });
  }
  if (placeholders.length > 0) {
    warnings.push({
      code: 'placeholder-ids',
      detail: `The events have the ${placeholders.length === 1 ? 'id' : 'ids'} ${placeholders.slice(0, 10).map((id) => JSON.stringify(id)).join(', ')}. Such a text usually stands for a missing id: all its interactions count as those of one user or item. Leave out events without an id.`,
    });
  }
  return warnings;
}

function ofEarly(events: readonly NewEvent[]): EventWarning[] {
  const [event] = events;
  if (event === undefined) return [];
  return [{
    code: 'early-timestamps',
    detail: `${events.length} ${events.length === 1 ? 'event has a timestamp' : 'events have timestamps'} in 1970, such as ${new Date(event.happened_at ?? 0).toISOString()}. ` +
      'Numbers below 1e11 are seconds since 1970, so the date 20240131, a number of days and 0 all mean 1970. Omit the timestamp of what just happened, and write others as 2024-01-31T12:00:00Z.',
  }];
}
