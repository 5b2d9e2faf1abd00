import type { ModelReader } from '../engine/modelFile/openModel.ts';
import { NewItems } from '../engine/newItems/newItems.ts';
import { Recommender } from '../engine/query/recommender.ts';
import type { OrganizationEvents, RecentEntity } from '../events/recentEvents.ts';
import { testNewItems } from '../models/filter/newEntities.ts';
import type { TrainedOn } from '../models/modelStore.ts';
import { isNewer, RecentView } from './recentView.ts';
import { yieldToOthers } from './yieldToOthers.ts';

/** Number of new items that are placed without a pause, each in up to 5 ms. */
const placedPerTurn = 2;

/** An open model together with what happened since its training: interactions, hidden entities and new items. */
export class LiveModel {
  readonly trained: ModelReader;
  private readonly events: OrganizationEvents;
  private readonly trainedOn: TrainedOn;
  private readonly passesFilter: ReturnType<typeof testNewItems>;
  private recommender: Recommender;
  private items: NewItems | null = null;
  /** Number of each placed entity, -1 for an entity without a place, with the state that was placed. */
  private readonly placed = new Map<string, { item: number; entity: RecentEntity }>();
  private waiting: RecentEntity[] = [];
  private seenChanges = 0;
  private isPlacing = false;
  private isClosed = false;

  constructor(trained: ModelReader, events: OrganizationEvents, trainedOn: TrainedOn) {
    this.trained = trained;
    this.events = events;
    this.trainedOn = trainedOn;
    this.passesFilter = testNewItems(trainedOn.filter);
    this.recommender = new Recommender(trained, new RecentView(trained, events, trainedOn));
  }

  /** Returns the recommender with the newest entities. Of many new entities, the first are placed at once and the others while queries are answered. */
  current(): Recommender {
    if (this.seenChanges !== this.events.entityChanges) this.compare();
    if (this.waiting.length > 0 && !this.isPlacing) {
      this.placeSome();
      if (this.waiting.length > 0) void this.placeRest();
    }
    return this.recommender;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.trained.close();
  }

  /** Removes the places of entities that changed or are gone, and lists the entities that need a place. */
  private compare(): void {
    const { events, placed, trained } = this;
    this.seenChanges = events.entityChanges;
    if (!NewItems.fits(trained)) return;
    for (const [id, { item, entity }] of placed) {
      const newest = events.entities.get(id);
      if (newest !== undefined && isSame(newest, entity)) continue;
      this.items?.remove(item);
      placed.delete(id);
    }
    this.waiting = [...events.entities.values()].filter((entity) => !placed.has(entity.id) && isNewer(entity, this.trainedOn) && this.mayBePlaced(entity));
  }

  private async placeRest(): Promise<void> {
    this.isPlacing = true;
    for (;;) {
      await yieldToOthers();
      if (this.isClosed || this.waiting.length === 0) break;
      this.placeSome();
    }
    this.isPlacing = false;
  }

  private placeSome(): void {
    for (const entity of this.waiting.splice(0, placedPerTurn)) {
      if (this.items === null || this.items.isFull) this.renumber();
      const { id, name, mediaUrl, metadata } = entity;
      const item = this.items?.add({ id, type: this.typeOf(entity) ?? -1, name: name ?? '', mediaUrl: mediaUrl ?? '', metadata: metadata ?? '' }) ?? -1;
      this.placed.set(id, { item, entity });
    }
    // Until all entities have their new numbers, the former numbers are used.
    if (this.items !== null && (this.waiting.length === 0 || this.recommender.model === this.trained)) this.use(this.items);
  }

  private renumber(): void {
    // Changed entities get further numbers, so there are twice as many; when all are used, the entities are numbered again.
    this.items = new NewItems(this.trained, 2 * this.events.maxEntities);
    this.waiting.push(...Array.from(this.placed.values(), ({ entity }) => entity));
    this.placed.clear();
  }

  private use({ model }: NewItems): void {
    if (this.recommender.model === model) return;
    this.recommender = new Recommender(model, new RecentView(model, this.events, this.trainedOn));
  }

  private mayBePlaced(entity: RecentEntity): boolean {
    const { id, type, name, metadata } = entity;
    return this.typeOf(entity) !== null && this.trained.findNode(id) < 0 && this.passesFilter({ id, type: type ?? undefined, name: name ?? '', metadata: metadata ?? '' });
  }

  /** Index of the type, -1 for an entity without a type; null if entities of the type are no items of the model. */
  private typeOf({ type: name }: RecentEntity): number | null {
    const { types, targetTypes } = this.trained.facts;
    const type = name === null ? -1 : types.indexOf(name);
    if (type < 0 && name !== null) return null;
    return targetTypes.length === 0 || targetTypes.includes(type) ? type : null;
  }
}

function isSame(one: RecentEntity, other: RecentEntity): boolean {
  return one.type === other.type && one.name === other.name && one.metadata === other.metadata && one.mediaUrl === other.mediaUrl;
}
