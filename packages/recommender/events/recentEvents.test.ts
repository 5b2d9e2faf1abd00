import { expect, it } from 'vitest';
import type { EntityChange, StoredEvent } from './event.ts';
import { RecentEvents } from './recentEvents.ts';

const absent = { source_id: null, type: null, happened_at: null, name: null, metadata: null, media_url: null, recommendation_id: null, event_id: null, tags: [] };

/** A change that this process has stored. */
function stored(sequence: number, id: string, available: boolean): EntityChange {
  return { sequence, event: { ...absent, organization_id: 'o', kind: 'entity', target_id: id, available } };
}

/** A change as the process follows it. */
function followed(sequence: number, targetId: string, available: boolean): StoredEvent {
  return { sequence, afterBatch: 0, organizationId: 'o', kind: 'entity', tags: [], targetId, sourceId: null, type: null, happenedAt: null, name: null, metadata: null, mediaUrl: null, available, receivedAt: 0 };
}

const hiddenIn = (recent: RecentEvents): string[] => [...recent.of('o').hidden];

it('an own change that is known to be stored after later changes were followed changes nothing', () => {
  const recent = new RecentEvents();
  recent.add(followed(5, 'film', false));
  recent.add(followed(6, 'film', true));
  recent.showStored([stored(5, 'film', false)]);
  expect(hiddenIn(recent)).toEqual([]);
  expect(recent.of('o').entities.get('film')?.sequence).toBe(6);
});

it('two own changes count in their order, whichever is known first', () => {
  const recent = new RecentEvents();
  recent.showStored([stored(6, 'film', false)]);
  recent.showStored([stored(5, 'film', true), stored(7, 'other', false)]);
  expect(hiddenIn(recent)).toEqual(['film', 'other']);
});

it('an own change stays while older changes are followed', () => {
  const recent = new RecentEvents();
  recent.showStored([stored(6, 'film', false)]);
  recent.add(followed(5, 'film', true));
  expect(hiddenIn(recent)).toEqual(['film']);
  for (const [sequence, available] of [[6, false], [7, true]] as const) recent.add(followed(sequence, 'film', available));
  expect(hiddenIn(recent)).toEqual([]);
  recent.add(followed(8, 'film', false));
  expect(hiddenIn(recent)).toEqual(['film']);
  expect(recent.of('o').ahead.size).toBe(0);
});
