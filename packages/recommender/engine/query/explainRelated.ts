import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { ItemParts } from './itemParts.ts';
import type { Ranking } from './ranking.ts';
import type { Reason } from './reason.ts';
import { intersectUsers, nameUsers } from './sharedUsers.ts';

const namedUsers = 10;
const namedAttributes = 3;
/** Attributes of one item that are tried out, the first ones. */
const triedAttributes = 64;
/** Related items of the source that are tried as the third item of indirect evidence. */
const triedThirds = 100;
/** Removing less than this part of the value does not reliably cost a rank, so it is no reason. */
const shareMin = 0.02;

/**
 * Reasons of an item's related items. The order is `1/2 P-term + 1/2 cos(e_i, e_j)`; what a reason names is taken out
 * of both terms, the embedding of the recommended item is blended anew from what is left, and the share is the part
 * of the value that is gone. The other items' embeddings are held fixed.
 */
export function explainRelated(model: ModelReader, item: number, ranking: Ranking): Reason[][] {
  const explainer = model.facts.rank > 0 ? new RelatedExplainer(model, item) : null;
  return Array.from({ length: ranking.count }, (_, rank) => {
    const other = ranking.item[rank] ?? 0;
    const value = ranking.value[rank] ?? 0;
    if (!(value > 0)) return [];
    return limitShares(explainer === null ? explainContent(model, item, other, value) : explainer.explain(other, value));
  });
}

class RelatedExplainer {
  private readonly model: ModelReader;
  private readonly item: number;
  private readonly audience = new Row();
  private readonly parts: ItemParts;
  private readonly ownAttributes: Set<number>;
  private readonly row = new Row();

  constructor(model: ModelReader, item: number) {
    this.model = model;
    this.item = item;
    this.parts = new ItemParts(model, item);
    model.audience.read(item, this.audience);
    this.ownAttributes = readAttributes(model, item).reduce((set, [attribute]) => set.add(attribute), new Set<number>());
  }

  explain(other: number, value: number): Reason[] {
    this.parts.load(other);
    this.model.audience.read(other, this.row);
    const shared = intersectUsers(this.audience, this.row);
    const attributes = this.explainAttributes(other, value);
    if (shared.length === 0) {
      const indirect = this.explainThroughThird(other, value);
      return indirect === null ? attributes : [indirect, ...attributes];
    }
    const share = 1 - (0.5 * this.parts.nearnessWithoutUsers(shared)) / value;
    const ids = nameUsers(this.model, shared, namedUsers);
    return [{ kind: 'co_interaction', ids, count: shared.length, share: clamp(share) }, ...attributes];
  }

  private explainAttributes(other: number, value: number): Reason[] {
    const { model, parts } = this;
    if ((model.contentWeight[other] ?? 0) === 0) return [];
    const near = parts.nearness();
    const found: { attribute: number; share: number }[] = [];
    for (const [attribute, weight] of readAttributes(model, other).slice(0, triedAttributes)) {
      const share = (0.5 * (near - parts.nearnessWithoutAttribute(attribute, weight))) / value;
      if (share >= shareMin) found.push({ attribute, share });
    }
    const common = found.filter(({ attribute }) => this.ownAttributes.has(attribute));
    return attributeReasons(model, common.length > 0 ? common : found);
  }

  /** Users of the recommended item who have a third item that is related to the source: the best such item. */
  private explainThroughThird(other: number, value: number): Reason | null {
    const { model, parts, row } = this;
    if (parts.users === 0) return null;
    const related = new Row();
    const third = new Row();
    model.audience.read(other, row);
    model.related.read(this.item, related);
    let best: Reason | null = null;
    for (let at = 0; at < Math.min(related.count, triedThirds); at += 1) {
      const through = related.ints[related.start + at] ?? 0;
      if (through === other) continue;
      model.audience.read(through, third);
      const users = intersectUsers(row, third);
      if (users.length === 0) continue;
      const share = clamp(1 - (0.5 * parts.nearnessWithoutUsers(users)) / value);
      if (share < shareMin || (best !== null && share <= best.share)) continue;
      const ids = nameUsers(model, users, namedUsers);
      const throughId = model.ids.get(model.itemNode[through] ?? 0);
      best = { kind: 'co_interaction', ids, through: throughId, count: users.length, share };
    }
    return best;
  }
}

/** Reasons in a model without interactions, where the order is the cosine of the weighted attributes. */
function explainContent(model: ModelReader, item: number, other: number, value: number): Reason[] {
  const own = new Map(readAttributes(model, item));
  const others = readAttributes(model, other);
  const squares = others.reduce((sum, [, weight]) => sum + weight * weight, 0);
  const dot = others.reduce((sum, [attribute, weight]) => sum + weight * (own.get(attribute) ?? 0), 0);
  const found = others.flatMap(([attribute, weight]) => {
    const shared = own.get(attribute);
    if (shared === undefined || dot <= 0) return [];
    const left = squares - weight * weight;
    const rest = left > 0 ? (dot - shared * weight) / Math.sqrt(left) : 0;
    return [{ attribute, share: value > 0 ? 1 - rest / (dot / Math.sqrt(squares)) : 0 }];
  });
  return attributeReasons(model, found.filter(({ share }) => share > 0));
}

function attributeReasons(model: ModelReader, found: { attribute: number; share: number }[]): Reason[] {
  return found
    .sort((a, b) => b.share - a.share || a.attribute - b.attribute)
    .slice(0, namedAttributes)
    .map(({ attribute, share }) => ({
      kind: 'attribute',
      field: model.attributeFields.get(attribute),
      value: model.attributeTexts.get(attribute),
      count: model.attributeItems[attribute] ?? 0,
      share: clamp(share),
    }));
}

/** Attributes of an item with their weights. */
export function readAttributes(model: ModelReader, item: number): [number, number][] {
  const row = new Row();
  model.attributes.read(item, row);
  return Array.from({ length: row.count }, (_, at) => [
    row.ints[row.start + at] ?? 0,
    row.floats[row.start + row.count + at] ?? 0,
  ]);
}

/** Falling by share; where the shares overlap so that they exceed 1 together, the smaller ones get what is left. */
function limitShares(reasons: Reason[]): Reason[] {
  let left = 1;
  return reasons
    .sort((a, b) => b.share - a.share)
    .map((reason) => {
      const share = Math.min(reason.share, left);
      left -= share;
      return { ...reason, share };
    })
    .filter(({ share }) => share > 0);
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
