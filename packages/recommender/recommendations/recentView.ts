import { shorten } from '@vouch/platform/errors/shorten';
import type { GivenHistory } from '../engine/query/givenHistory.ts';
import type { RaisedItem, RecentChanges } from '../engine/query/recentChanges.ts';
import { sessionHistory, storedHistory } from '../engine/query/sessionHistory.ts';
import type { ModelReader } from '../engine/modelFile/openModel.ts';
import type { RecentInteraction } from '../events/event.ts';
import type { OrganizationEvents } from '../events/recentEvents.ts';
import { largestWeight, weightOf } from '../models/sql/interactionWeights.ts';
import type { TrainedOn } from '../models/modelStore.ts';

/** Maximum number of newer interactions of one source that count. */
const maxRecent = 500;
/** Maximum number of events of one source that are searched for newer ones with a tag of the model, so that a question takes at most about 0.1 ms for it. */
const maxSearched = 10_000;
/** Weight of an interaction with a rating, whose direction is unknown before the next training: the item is seen, and hardly counts. */
const ratedWeight = 0.01;
/** Half-life and smallest weight of an interaction in trending items, by its age when it arrived: as in a training, and as of an item in demand there. */
const trendHalfLifeMs = 14 * 86_400_000;
const leastTrendWeight = 2 ** -4;
/** Added to both sides of the ratio of seen to expected interactions, as in a training. */
const ratioPrior = 5;

/** The events and uploads of an organization since the training of one of its models, by the model's numbers of items. */
export class RecentView implements RecentChanges {
  private readonly model: ModelReader;
  private readonly events: OrganizationEvents;
  private readonly trainedOn: TrainedOn;
  private hiddenItems: Uint8Array | null = null;
  private hiddenChanges = -1;
  private addedChanges = -1;
  /** Number of sources with newer interactions, by item, each weighted by the age of its interaction. */
  private readonly newSources = new Map<number, number>();
  private position = 0;
  private raisedItems = new Map<number, RaisedItem[]>();
  private uploads: OrganizationEvents['uploads'] = [];
  /** The uploads that the training did not see. */
  private newUploads: OrganizationEvents['uploads'] = [];

  constructor(model: ModelReader, events: OrganizationEvents, trainedOn: TrainedOn) {
    this.model = model;
    this.events = events;
    this.trainedOn = trainedOn;
  }

  historyOf(id: string, node: number): GivenHistory | null {
    const newer = [...this.uploadedBy(id), ...this.sentBy(id)];
    if (newer.length === 0) return null;
    // Interactions of the same time keep their order: those of uploads come first.
    newer.sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time)));
    return this.merge(node, newer.slice(-maxRecent));
  }

  unknownCause(id: string): string | null {
    const { events, trainedOn: { dataTags } } = this;
    const shown = JSON.stringify(shorten(id, 100));
    if (events.hidden.has(id)) return `${shown} was deleted, or sent with "available": false.`;
    const entity = events.entities.get(id);
    const uploads = events.uploads.filter((file) => file.has(id)).map(({ batch }) => batch);
    const sent = [...(entity === undefined ? [] : [entity]), ...(events.bySource.get(id) ?? []), ...uploads];
    const tags = dataTags.map((tag) => JSON.stringify(tag)).join(', ');
    if (dataTags.length > 0 && sent.length > 0 && !sent.some((event) => event.tags.some((tag) => dataTags.includes(tag)))) {
      return `${shown} was sent, but without a tag of the model, which was trained with data_tags ${tags}. Send it again with one of these tags.`;
    }
    if (entity !== undefined) {
      return `${shown} was sent as an entity, but the model has no place for it before the next training: its type is not recommended, the filter of the training leaves it out, or the model knows none of its attributes.`;
    }
    return dataTags.length === 0 ? null : `The model was trained with data_tags ${tags}, so it does not know what only other batches and events contain.`;
  }

  isHidden(id: string): boolean {
    return this.events.hidden.has(id);
  }

  hidden(): Uint8Array | null {
    const { events, model } = this;
    const addedChanges = model.added?.changes ?? 0;
    if (this.hiddenChanges === events.hiddenChanges && this.addedChanges === addedChanges) return this.hiddenItems;
    this.hiddenChanges = events.hiddenChanges;
    this.addedChanges = addedChanges;
    const hidden = new Uint8Array(model.facts.items);
    let count = 0;
    for (const id of events.hidden) {
      const item = this.itemOf(id);
      if (item < 0) continue;
      hidden[item] = 1;
      count += 1;
    }
    for (let item = model.added?.firstItem ?? hidden.length; item < hidden.length; item += 1) {
      if (model.added?.isListed(item) === true) continue;
      hidden[item] = 1;
      count += 1;
    }
    this.hiddenItems = count === 0 ? null : hidden;
    return this.hiddenItems;
  }

  raised(type: number): readonly RaisedItem[] {
    if (this.position < this.events.end) this.countNewer();
    return this.raisedItems.get(type) ?? [];
  }

  private countNewer(): void {
    const { events, newSources, trainedOn } = this;
    for (const interaction of events.since(this.position)) {
      const item = this.itemOf(interaction.targetId);
      if (item < 0 || !this.isTrending(interaction) || interactionWeight(interaction, trainedOn.weights) <= 0 || this.isRepeated(interaction)) continue;
      newSources.set(item, (newSources.get(item) ?? 0) + trendWeight(interaction));
    }
    this.position = events.end;
    this.raisedItems = new Map();
    for (const [item, count] of newSources) {
      const type = this.model.typeOfItem(item);
      const list = this.raisedItems.get(type) ?? [];
      list.push({ item, trend: raise(this.model.trend[item] ?? 0, count) });
      this.raisedItems.set(type, list);
    }
    for (const list of this.raisedItems.values()) list.sort((a, b) => b.trend - a.trend || a.item - b.item);
  }

  /** Whether the source has had an interaction with the item before; a source counts once per item. */
  private isRepeated({ sourceId, targetId, sequence }: RecentInteraction): boolean {
    const own = this.events.bySource.get(sourceId)?.slice(-maxRecent) ?? [];
    return own.some((other) => other.sequence < sequence && other.targetId === targetId && this.isTrending(other));
  }

  /** Events of a source since the training, in the order of their arrival. */
  private sentBy(id: string): RecentInteraction[] {
    const all = this.events.bySource.get(id) ?? [];
    const newer: RecentInteraction[] = [];
    for (let at = all.length - 1; at >= Math.max(0, all.length - maxSearched) && newer.length < maxRecent; at -= 1) {
      const event = all[at] as RecentInteraction;
      if (event.sequence <= this.trainedOn.eventsThrough) break;
      if (this.isNewer(event)) newer.push(event);
    }
    return newer.toReversed();
  }

  /** Uploaded interactions of a source since the training, file by file. */
  private uploadedBy(id: string): RecentInteraction[] {
    const { events, trainedOn } = this;
    if (this.uploads !== events.uploads) {
      this.uploads = events.uploads;
      this.newUploads = events.uploads.filter(({ batch }) => batch.sequence > trainedOn.batchesThrough && hasTag(batch, trainedOn));
    }
    return this.newUploads.flatMap((file) => file.newestOf(id, maxRecent).filter(({ time }) => !isTooOld(time, file.batch.uploadedAt, trainedOn)));
  }

  private isNewer(interaction: RecentInteraction): boolean {
    return isNewer(interaction, this.trainedOn) && !isTooOld(interaction.time, interaction.receivedAt, this.trainedOn);
  }

  private isTrending(interaction: RecentInteraction): boolean {
    return this.isNewer(interaction) && trendWeight(interaction) >= leastTrendWeight;
  }

  private itemOf(id: string): number {
    const node = this.model.findNode(id);
    return node < 0 ? -1 : (this.model.nodeItem[node] ?? -1);
  }

  private merge(node: number, newer: readonly RecentInteraction[]): GivenHistory {
    const entries = newer.map((interaction) => ({ item: this.itemOf(interaction.targetId), weight: interactionWeight(interaction, this.trainedOn.weights) }));
    const user = node < 0 ? -1 : (this.model.nodeUser[node] ?? -1);
    return sessionHistory(storedHistory(this.model, user), entries.filter(({ item, weight }) => item >= 0 && weight !== 0));
  }
}

/** Whether a training did not see the event, and the next training will. */
export function isNewer(event: Pick<RecentInteraction, 'sequence' | 'tags'>, trainedOn: TrainedOn): boolean {
  return event.sequence > trainedOn.eventsThrough && hasTag(event, trainedOn);
}

function hasTag({ tags }: { tags: readonly string[] }, { dataTags }: TrainedOn): boolean {
  return dataTags.length === 0 || tags.some((tag) => dataTags.includes(tag));
}

/** Whether a training at the time of its arrival would have ignored an interaction because of its age. An interaction without a time is never too old. */
function isTooOld(time: number, arrivedAt: number, { maximumAgeMs }: TrainedOn): boolean {
  return maximumAgeMs !== null && time !== Number.NEGATIVE_INFINITY && time < arrivedAt - maximumAgeMs;
}

/** At most 1: the clocks of senders may be ahead. */
function trendWeight({ time, receivedAt }: RecentInteraction): number {
  return Math.min(1, 2 ** ((time - receivedAt) / trendHalfLifeMs));
}

/** A weight beyond the largest is a mistake, which a training ignores too. */
function interactionWeight({ type, weight, rated }: RecentInteraction, given: TrainedOn['weights']): number {
  const own = weight !== null && Math.abs(weight) <= largestWeight ? weight : null;
  const ofType = weightOf(type, given);
  const size = Math.abs(ofType * (own ?? 1)) * (rated ? ratedWeight : 1);
  return ofType < 0 || (own ?? 1) < 0 ? -size : size;
}

/**
 * The trend of an item after new interactions of this total weight. A model has the trend, but not the seen and the expected interactions that it was computed from:
 * the item counts as one that was seen as often as expected.
 */
function raise(trend: number, count: number): number {
  const expected = trend / 2;
  return ((expected + count + expected) * (expected + count + ratioPrior)) / (expected + ratioPrior);
}
