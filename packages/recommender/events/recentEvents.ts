import { statedWeight } from '../uploads/statedWeight.ts';
import type { EntityChange, NewEvent, RecentInteraction, StoredEvent } from './event.ts';
import type { UploadedFile } from './uploadedFile.ts';

/** Maximum number of events that each process keeps in memory. */
export const keptEvents = 1_000_000;
/** Maximum estimated bytes of these events. */
const maxBytes = 256 * 2 ** 20;
/** Estimated bytes of an interaction without its texts. */
const ownBytes = 150;

/** Maximum number of entities of an organization that each process keeps, and of the characters of their texts. */
const keptEntities = 1_000;
const maxEntityCharacters = 8 * 2 ** 20;

/** The newest state of an entity that lists may contain. */
export interface RecentEntity {
  id: string;
  sequence: number;
  type: string | null;
  name: string | null;
  metadata: string | null;
  mediaUrl: string | null;
  tags: readonly string[];
}

/** The recent events of one organization. */
export class OrganizationEvents {
  /** Interactions by source, in the order of their numbers. */
  readonly bySource = new Map<string, RecentInteraction[]>();
  /** Entities that no list may contain. */
  readonly hidden = new Set<string>();
  /** Rises with every change of `hidden`. */
  hiddenChanges = 0;
  /** The newest entities, oldest first. */
  readonly entities = new Map<string, RecentEntity>();
  /** Rises with every change of `entities`. */
  entityChanges = 0;
  /** Numbers of the events of entities that this process has stored and has not followed yet: older ones no longer change the entity. */
  readonly ahead = new Map<string, number>();
  /** Uploaded files since the trainings of the models, oldest first; a change replaces the array. */
  uploads: readonly UploadedFile[] = [];
  private entityCharacters = 0;
  /** Maximum number of entities. */
  readonly maxEntities: number;
  bytes = 0;
  private log: (RecentInteraction | undefined)[] = [];
  /** Number of interactions that were removed from the beginning of the log. */
  private removed = 0;
  private first = 0;

  constructor(maxEntities: number) {
    this.maxEntities = maxEntities;
  }

  get count(): number {
    return this.log.length - this.first;
  }

  /** Position after the newest interaction; positions rise by one with every interaction. */
  get end(): number {
    return this.removed + this.log.length;
  }

  /** Returns the interactions from a position on, as far as they are kept. */
  *since(position: number): Generator<RecentInteraction> {
    for (let at = Math.max(this.first, position - this.removed); at < this.log.length; at += 1) {
      const interaction = this.log[at];
      if (interaction !== undefined) yield interaction;
    }
  }

  add(interaction: RecentInteraction): void {
    this.log.push(interaction);
    this.bytes += sizeOf(interaction);
    const known = this.bySource.get(interaction.sourceId);
    if (known === undefined) this.bySource.set(interaction.sourceId, [interaction]);
    else known.push(interaction);
  }

  removeOldest(): void {
    const oldest = this.log[this.first];
    if (oldest === undefined) return;
    this.log[this.first] = undefined;
    this.first += 1;
    this.bytes -= sizeOf(oldest);
    const own = this.bySource.get(oldest.sourceId);
    own?.shift();
    if (own?.length === 0) this.bySource.delete(oldest.sourceId);
    // Rarely, because the rest of the array is copied.
    if (this.first < 1024 || this.first * 2 < this.log.length) return;
    this.log.splice(0, this.first);
    this.removed += this.first;
    this.first = 0;
  }

  /** Adds the newest state of an entity; the oldest entities are removed if there are too many. */
  setEntity(entity: RecentEntity): void {
    this.removeEntity(entity.id);
    this.entities.set(entity.id, entity);
    this.entityCharacters += charactersOf(entity);
    this.entityChanges += 1;
    for (const id of this.entities.keys()) {
      if (this.entities.size <= this.maxEntities && this.entityCharacters <= maxEntityCharacters) break;
      this.removeEntity(id);
    }
  }

  removeEntity(id: string): void {
    const entity = this.entities.get(id);
    if (entity === undefined) return;
    this.entities.delete(id);
    this.entityCharacters -= charactersOf(entity);
    this.entityChanges += 1;
  }

  setHidden(id: string, hidden: boolean): void {
    if (this.hidden.has(id) === hidden) return;
    if (hidden) this.hidden.add(id);
    else this.hidden.delete(id);
    this.hiddenChanges += 1;
  }
}

/**
 * The newest events of all organizations, in the memory of one process. If the events take too much memory, the organization that takes most loses
 * its oldest events; lists count them again after the next training.
 */
export class RecentEvents {
  private readonly organizations = new Map<string, OrganizationEvents>();
  private readonly limits: { events: number; bytes: number; entities: number };
  private count = 0;
  private bytes = 0;
  /** Number of the last event that was added. */
  private last = 0;

  constructor(limits: { events: number; bytes: number; entities?: number } = { events: keptEvents, bytes: maxBytes }) {
    this.limits = { entities: keptEntities, ...limits };
  }

  /** Returns the events of an organization; empty if there are none. */
  of(organizationId: string): OrganizationEvents {
    let events = this.organizations.get(organizationId);
    if (events === undefined) {
      events = new OrganizationEvents(this.limits.entities);
      this.organizations.set(organizationId, events);
    }
    return events;
  }

  /** Adds an event that follows all events added before. */
  add(event: StoredEvent): void {
    const own = this.of(event.organizationId);
    this.last = event.sequence;
    if (event.kind !== 'interaction') return this.follow(own, event);
    const before = own.bytes;
    own.add(toInteraction(event));
    this.count += 1;
    this.bytes += own.bytes - before;
    while (this.count > this.limits.events || this.bytes > this.limits.bytes) this.removeOldest();
  }

  /**
   * Shows, changes and hides the entities of events that this process has stored, so that its next answer takes the events into account. Without this method, an
   * answer could precede the announcement of the events. The commit may be known later than later events: an event that does not follow those of its entity changes
   * nothing.
   */
  showStored(changes: readonly EntityChange[]): void {
    for (const { event, sequence } of changes) {
      const own = this.of(event.organization_id);
      if (sequence <= this.last || sequence <= (own.ahead.get(event.target_id) ?? 0)) continue;
      own.ahead.set(event.target_id, sequence);
      showEntity(own, { ...event, id: event.target_id, sequence, mediaUrl: event.media_url });
    }
  }

  /** Replaces the uploaded files of all organizations, each oldest first. */
  setUploads(byOrganization: ReadonlyMap<string, readonly UploadedFile[]>): void {
    for (const [organizationId, events] of this.organizations) if (events.uploads.length > 0 && !byOrganization.has(organizationId)) events.uploads = [];
    for (const [organizationId, files] of byOrganization) {
      const own = this.of(organizationId);
      // The same array lets a view keep what it derived from it.
      if (files.length !== own.uploads.length || files.some((file, at) => file !== own.uploads[at])) own.uploads = files;
    }
  }

  private follow(own: OrganizationEvents, event: StoredEvent): void {
    const ahead = own.ahead.get(event.targetId) ?? 0;
    if (ahead <= event.sequence) own.ahead.delete(event.targetId);
    if (ahead < event.sequence) showEntity(own, { ...event, id: event.targetId });
  }

  private removeOldest(): void {
    let largest: OrganizationEvents | null = null;
    for (const events of this.organizations.values()) if (largest === null || events.bytes > largest.bytes) largest = events;
    if (largest === null || largest.count === 0) throw new Error('there is no event to remove');
    const before = largest.bytes;
    largest.removeOldest();
    this.count -= 1;
    this.bytes -= before - largest.bytes;
  }
}

function showEntity(own: OrganizationEvents, { available, ...event }: RecentEntity & Pick<NewEvent, 'kind' | 'available'>): void {
  const hidden = available === false;
  own.setHidden(event.id, hidden);
  if (hidden || event.kind === 'deletion') own.removeEntity(event.id);
  else own.setEntity({ id: event.id, sequence: event.sequence, type: event.type, name: event.name, metadata: event.metadata, mediaUrl: event.mediaUrl, tags: event.tags });
}

function charactersOf({ id, name, metadata, mediaUrl }: RecentEntity): number {
  return id.length + (name?.length ?? 0) + (metadata?.length ?? 0) + (mediaUrl?.length ?? 0);
}

function sizeOf({ sourceId, targetId, type, tags }: RecentInteraction): number {
  return ownBytes + 2 * (sourceId.length + targetId.length + (type?.length ?? 0)) + 16 * tags.length;
}

function toInteraction({ sequence, sourceId, targetId, type, happenedAt, receivedAt, tags, metadata }: StoredEvent): RecentInteraction {
  return { sequence, sourceId: sourceId ?? '', targetId, type, time: happenedAt ?? 0, receivedAt, tags, ...statedWeight(metadata) };
}
