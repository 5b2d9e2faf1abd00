import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { knownInteractions, priorInteractions } from '../neighbours/predictedTerms.ts';
import { popularityExponent } from '../neighbours/boundCandidates.ts';
import { estimateWeight, formerFormula, npmiWeight, type RelatedFormula } from '../neighbours/relatedFormula.ts';
import { pairScore } from '../scores/pairScores.ts';
import { categoriesOf, categoryFactor, type Categories } from './categoryOverlap.ts';
import { ItemParts } from './itemParts.ts';
import type { Ranking } from './ranking.ts';
import { minShare, type Finding } from './reason.ts';
import { countsInHistory, intersectUsers, nameUsers, userWeight } from './sharedUsers.ts';

const namedUsers = 10;
/** Number of attributes per item that are tested, from the first on. */
const triedAttributes = 64;
/** Number of top related items of the source over which the loss of a source attribute is averaged. */
const typicalItems = 20;
/**
 * Number of top related items of the source that can be the third item of an indirect reason, and how many of these are
 * tested.
 */
const possibleThirds = 20;
const triedThirds = 3;
/** Smallest share for an attribute of a source with few users, in excess of the average loss of the other related items. */
const minExcess = 0.05;

/**
 * Reasons of an item's related items. The ranking value is a sum of an information term, the P-term and `cos(e_i, e_j)`, times the
 * factor of shared categories, see `RelatedRows`. For a source with few users, the P-term is mostly the prediction `e_i . E_j d_j^0.3`. For each reason,
 * the explainer removes the named users or attribute from all terms and blends the embedding of the recommended item again;
 * the share is the part of the value that disappears. The embeddings of all other items stay unchanged.
 */
export function explainRelated(model: ModelReader, item: number, ranking: Ranking): Finding[][] {
  const parts = new ItemParts(model, item);
  const explainer = parts.sourceLength > 0 ? new RelatedExplainer(model, item, parts) : null;
  return Array.from({ length: ranking.count }, (_, rank) => {
    const other = ranking.item[rank] ?? 0;
    const value = ranking.value[rank] ?? 0;
    if (!(value > 0)) return [];
    return explainer === null ? explainContent(model, item, other) : explainer.explain(other, value);
  });
}

class RelatedExplainer {
  private readonly model: ModelReader;
  private readonly item: number;
  private readonly audience = new Row();
  private readonly parts: ItemParts;
  private readonly formula: RelatedFormula;
  /** Share of the P-term in the ranking value, and share of the cosine. */
  private readonly half: number;
  /** Weight of the source's own interactions; the rest of the weight belongs to the prediction. */
  private readonly known: number;
  /** Attributes of the source with their weights. */
  private readonly ownAttributes: Map<number, number>;
  private readonly ownCategories: Categories;
  private readonly row = new Row();
  /** The part of the current value that comes from the prediction. */
  private expected = 0;
  /** Average share of the value that the related items lose if the source loses an attribute. */
  private readonly typicalLoss = new Map<number, number>();
  private otherAttributes: [number, number][] = [];
  private otherCategories: Categories = new Map();
  private factor = 1;
  private shared: number[] = [];
  private thirds: { item: number; audience: Row }[] | null = null;

  constructor(model: ModelReader, item: number, parts: ItemParts) {
    this.model = model;
    this.item = item;
    this.parts = parts;
    this.formula = model.facts.related ?? formerFormula;
    this.half = (1 - this.formula.information) / 2;
    const degree = model.degree[item] ?? 0;
    this.known = degree < knownInteractions ? degree / (degree + priorInteractions) : 1;
    model.audience.read(item, this.audience);
    const own = readAttributes(model, item);
    this.ownAttributes = new Map(own);
    this.ownCategories = categoriesOf(own, model.isCategory);
    if ((model.degree[item] ?? 0) < knownInteractions) this.averageOwnLosses();
  }

  /** @param ordering ranking value of the item */
  explain(other: number, ordering: number): Finding[] {
    const value = this.begin(other, ordering);
    // An item that arrived after the training has its place by attributes alone.
    const users = this.item >= (this.model.added?.firstItem ?? Number.POSITIVE_INFINITY) ? [] : this.explainUsers(other, value);
    const reasons = [...users, ...this.explainAttributes(value, true)];
    // No reason distinguishes this item from the other related items, so the attributes common to all of them are the
    // reasons.
    return reasons.some(({ share }) => share > 0) ? reasons : this.explainAttributes(value, false);
  }

  /** Reasons from users of both items or, if there are none, from users that connect the items through a third item. */
  private explainUsers(other: number, value: number): Finding[] {
    const { shared } = this;
    if (shared.length === 0) {
      const indirect = this.explainThroughThird(other, value);
      return indirect === null ? [] : [indirect];
    }
    const ids = nameUsers(this.model, shared, namedUsers);
    return [{ kind: 'co_interaction', ids, count: shared.length, share: this.shareOfUsers(other, shared, value) }];
  }

  /** Loads the other item and returns the item's value before the factor of shared categories. */
  private begin(other: number, ordering: number): number {
    this.parts.load(other);
    this.otherAttributes = readAttributes(this.model, other);
    this.otherCategories = categoriesOf(this.otherAttributes, this.model.isCategory);
    this.factor = categoryFactor(this.ownCategories, this.otherCategories, this.formula.categories);
    const value = ordering / this.factor;
    this.model.audience.read(other, this.row);
    this.shared = intersectUsers(this.audience, this.row);
    // The part of the value that neither common users nor the cosine explain: the prediction. Except for rounding errors,
    // this part is 0 for a source with enough users.
    const near = this.parts.nearness();
    const rest = value - this.nearWeight(near) * near - this.seenTerms(other);
    this.expected = rest > 1e-3 * value ? rest : 0;
    return value;
  }

  /**
   * Share of the ranking value that disappears without an attribute.
   * @param share share of the value before the category factor that disappears
   */
  private withFactor(attribute: number, share: number): number {
    if (this.model.isCategory[attribute] !== 1) return share;
    return 1 - ((1 - share) * categoryFactor(this.ownCategories, this.otherCategories, this.formula.categories, attribute)) / this.factor;
  }

  private averageOwnLosses(): void {
    const related = new Row();
    this.model.related.read(this.item, related);
    const count = Math.min(related.count, typicalItems);
    for (let at = 0; at < count; at += 1) {
      const ordering = related.floats[related.start + related.count + at] ?? 0;
      const value = this.begin(related.ints[related.start + at] ?? 0, ordering);
      const near = this.parts.nearness();
      for (const attribute of this.ownAttributes.keys()) {
        const loss = this.withFactor(attribute, this.lostWithoutOwn(attribute, near) / value);
        this.typicalLoss.set(attribute, (this.typicalLoss.get(attribute) ?? 0) + loss / count);
      }
    }
  }

  /** Weight of a cosine in the value of an item with `users` users: by itself, and as the estimate of the NPMI. */
  private nearWeight(near: number, users = this.parts.users): number {
    return this.half + (near > 0 ? this.known * this.formula.information * estimateWeight(this.formula, users) : 0);
  }

  /** The terms of the value from common users: NPMI and P-term. */
  private seenTerms(other: number): number {
    const { model, item, shared, formula } = this;
    const divisor = model.relatedDivisor[item] ?? 0;
    if (shared.length === 0 || divisor === 0) return 0;
    const row = new Row();
    const counting = shared.filter((user) => countsInHistory(model, user, item, row) && countsInHistory(model, user, other, row));
    const sum = counting.reduce((total, user) => total + userWeight(model, user), 0);
    const [own, others] = [model.degree[item] ?? 1, model.degree[other] ?? 1];
    const term = (sum * own ** -0.5 * others ** (popularityExponent - 0.5)) / (model.facts.largestEigenvalue * divisor);
    const npmi = npmiWeight(formula, others) * pairScore(counting.length, own, others, model.facts.users);
    return this.known * (this.half * term + formula.information * npmi);
  }

  /** Share of the value that disappears without the interactions of `users` with the recommended item. */
  private shareOfUsers(other: number, users: readonly number[], value: number): number {
    const degree = this.model.degree[other] ?? 0;
    const { nearness, factors } = this.parts.withoutUsers(users);
    const left = Math.max(0, degree - users.length);
    const popularity = (left / (degree || 1)) ** popularityExponent;
    return clamp(1 - (this.nearWeight(nearness, left) * nearness + this.expected * Math.min(1, factors * popularity)) / value);
  }

  /**
   * Reasons from attributes that both items have, removed from both. An attribute of one item alone says nothing true of the
   * pair, even where the item's embedding depends on it.
   * @param apart true omits attributes whose loss would cost the other related items as much, because they are not specific
   * to this item
   */
  private explainAttributes(value: number, apart: boolean): Finding[] {
    const { model, parts } = this;
    const near = parts.nearness();
    const found: { attribute: number; share: number }[] = [];
    for (const [attribute, weight] of this.otherAttributes.slice(0, triedAttributes)) {
      if (!this.ownAttributes.has(attribute)) continue;
      const lost = this.nearWeight(near) * (near - parts.nearnessWithoutAttribute(attribute, weight));
      const share = this.withFactor(attribute, (lost + this.lostWithoutOwn(attribute, near)) / value);
      const excess = share - (this.typicalLoss.get(attribute) ?? 0);
      if (apart && this.typicalLoss.size > 0 ? excess >= minExcess : share >= minShare) found.push({ attribute, share });
    }
    return attributeReasons(model, found);
  }

  /** Loss of value if the source loses an attribute; large if the source's embedding is mostly content. */
  private lostWithoutOwn(attribute: number, near: number): number {
    const weight = (this.ownAttributes.get(attribute) ?? 0) * (this.model.contentWeight[this.item] ?? 0);
    if (weight === 0) return 0;
    const { nearness, factors } = this.parts.withoutSourceAttribute(attribute, weight);
    return this.nearWeight(near) * (near - nearness) + this.expected * (1 - Math.min(1, factors));
  }

  /**
   * Reason from users of the recommended item who also have a third item that is related to the source; the best such third
   * item.
   */
  private explainThroughThird(other: number, value: number): Finding | null {
    const { model, row } = this;
    if (this.parts.users === 0) return null;
    model.audience.read(other, row);
    this.thirds ??= this.findThirds();
    const found = this.thirds
      .filter(({ item }) => item !== other)
      .map(({ item, audience }) => ({ item, users: intersectUsers(row, audience) }))
      .filter(({ users }) => users.length > 0)
      .sort((a, b) => b.users.length - a.users.length)
      .slice(0, triedThirds)
      .map(({ item, users }) => ({ item, users, share: this.shareOfUsers(other, users, value) }))
      .sort((a, b) => b.share - a.share);
    const [best] = found;
    if (best === undefined || best.share < minShare) return null;
    const ids = nameUsers(model, best.users, namedUsers);
    const through = model.ids.get(model.itemNode[best.item] ?? 0);
    return { kind: 'co_interaction', ids, through, count: best.users.length, share: best.share };
  }

  private findThirds(): { item: number; audience: Row }[] {
    const { model } = this;
    const related = new Row();
    model.related.read(this.item, related);
    return Array.from({ length: Math.min(related.count, possibleThirds) }, (_, at) => {
      const item = related.ints[related.start + at] ?? 0;
      const audience = new Row();
      model.audience.read(item, audience);
      return { item, audience };
    });
  }
}

/**
 * Reasons for an item related by content only, because neither users nor known attributes connect the source with other
 * items, as in a model without interactions. The ranking value is the cosine of the attributes, weighted by `ln(1 +
 * items/n)`.
 */
function explainContent(model: ModelReader, item: number, other: number): Finding[] {
  const own = new Set(readAttributes(model, item).map(([attribute]) => attribute));
  const items = model.added?.firstItem ?? model.facts.items;
  const squareOf = (attribute: number) => Math.log(1 + items / (model.attributeItems[attribute] ?? 1)) ** 2;
  const others = readAttributes(model, other).map(([attribute]) => ({ attribute, square: squareOf(attribute) }));
  const squares = others.reduce((sum, { square }) => sum + square, 0);
  const common = others.filter(({ attribute }) => own.has(attribute));
  const product = common.reduce((sum, { square }) => sum + square, 0);
  const found = common.map(({ attribute, square }) => {
    const left = squares - square;
    const rest = left > 0 ? (product - square) / Math.sqrt(left) : 0;
    return { attribute, share: 1 - rest / (product / Math.sqrt(squares)) };
  });
  return attributeReasons(model, found.filter(({ share }) => share > 0));
}

function attributeReasons(model: ModelReader, found: { attribute: number; share: number }[]): Finding[] {
  return found
    .sort((a, b) => b.share - a.share || a.attribute - b.attribute)
    .map(({ attribute, share }) => ({
      kind: 'attribute',
      field: model.attributeFields.get(attribute),
      value: model.attributeTexts.get(attribute),
      count: model.attributeItems[attribute] ?? 0,
      share: clamp(share),
    }));
}

/** Attributes of an item with their weights. */
function readAttributes(model: ModelReader, item: number): [number, number][] {
  const row = new Row();
  model.attributes.read(item, row);
  return Array.from({ length: row.count }, (_, at) => [
    row.ints[row.start + at] ?? 0,
    row.floats[row.start + row.count + at] ?? 0,
  ]);
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
