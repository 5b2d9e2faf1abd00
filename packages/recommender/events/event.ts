import type { StatedWeight } from '../uploads/statedWeight.ts';

/** An event before it is stored: an interaction, a new or changed entity, or the deletion of an entity. */
export interface NewEvent {
  organization_id: string;
  kind: 'interaction' | 'entity' | 'deletion';
  event_id: string | null;
  tags: readonly string[];
  /** Target of the interaction, or id of the entity. */
  target_id: string;
  source_id: string | null;
  type: string | null;
  /** Milliseconds since the Unix epoch; null for entities. */
  happened_at: number | null;
  name: string | null;
  /** JSON text of an object, or null. */
  metadata: string | null;
  media_url: string | null;
  /** Whether lists may contain the entity; null for interactions. */
  available: boolean | null;
  /** The answer that the interaction came from, or null. */
  recommendation_id: string | null;
}

/** The event of a new, changed or deleted entity with its number. */
export interface EntityChange {
  event: NewEvent;
  sequence: number;
}

/** An event as processes follow it. Numbers rise in the order in which the events became visible. */
export interface StoredEvent {
  sequence: number;
  /** Number of the newest batch when the event arrived. */
  afterBatch: number;
  organizationId: string;
  kind: NewEvent['kind'];
  tags: readonly string[];
  targetId: string;
  sourceId: string | null;
  type: string | null;
  happenedAt: number | null;
  name: string | null;
  metadata: string | null;
  mediaUrl: string | null;
  available: boolean | null;
  /** Milliseconds since the Unix epoch. */
  receivedAt: number;
}

/** An interaction as lists need it. */
export interface RecentInteraction extends StatedWeight {
  sequence: number;
  sourceId: string;
  targetId: string;
  type: string | null;
  time: number;
  receivedAt: number;
  tags: readonly string[];
}
