import type { PlantedFault } from './plantedFault.ts';

const events = 'packages/recommender/events';

/** Faults of storing, following and folding events. The simulation must find those with a seed. */
export const eventsPlants: readonly PlantedFault[] = [
  { name: 'a server that has just started answers before it knows the earlier events', seed: 1, scenario: 'events', file: `${events}/followEvents.ts`, replace: 'if (!this.isCaughtUp) await', by: 'if (this.last < -1) await' },
  // Both are hardly reached: the answer to a commit must be slower than the next change, its commit and its reading, or the reading slower than the next change. See recentEvents.test.ts.
  { name: 'an own change counts when it is known, whatever followed', seed: null, scenario: 'events', file: `${events}/recentEvents.ts`, replace: 'if (sequence <= this.last || sequence <= (own.ahead.get(event.target_id) ?? 0)) continue;', by: '' },
  { name: 'an older event that is followed later replaces an own change', seed: null, scenario: 'events', file: `${events}/recentEvents.ts`, replace: 'if (ahead < event.sequence) showEntity', by: 'showEntity' },
  { name: 'events are numbered without the lock', seed: 1, scenario: 'events', file: `${events}/eventStore.ts`, replace: "await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', ['vouch:recommender-events']);", by: '' },
  { name: 'two processes fold the same events', seed: 1, scenario: 'events', file: `${events}/foldStore.ts`, replace: 'WHERE event_folds.through = $2', by: 'WHERE $2::bigint IS NOT NULL' },
  { name: 'the mark advances outside of the transaction of the batches', seed: 1, scenario: 'events', file: `${events}/foldEvents.ts`, replace: 'advanceFold(transaction, organizationId, from, through)', by: 'advanceFold(database, organizationId, from, through)' },
  { name: 'a deletion by tags forgets events that are in no batch', seed: 1, scenario: 'events', file: `${events}/foldEvents.ts`, replace: 'if (!(await hasUnfolded(platform.database, organizationId, tags))) return;', by: 'if (tags.length > 0) return;' },
  { name: 'events are read only after notifications', seed: 1, scenario: 'events', file: 'packages/platform/database/follow.ts', replace: 'timers.sleep(pollMs, signal)', by: 'timers.sleep(86_400_000, signal)' },
];
