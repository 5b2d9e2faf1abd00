import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { knownInteractions, priorInteractions } from '../neighbours/predictedTerms.ts';
import { popularityExponent } from '../neighbours/boundCandidates.ts';
import { estimateWeight, formerFormula, npmiWeight, type RelatedFormula } from '../neighbours/relatedFormula.ts';
import { pairScore } from '../scores/pairScores.ts';
import { categoriesOf, categoryFactor, type Categories } from './categoryOverlap.ts';
import { ItemParts, type RemovedAttribute } from './itemParts.ts';
import type { Ranking } from './ranking.ts';
import { attributeReason, attributeReasons, fewestTogether, readAttributes, type AttributeShare } from './attributeReasons.ts';
import { explainContent } from './explainContent.ts';
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

/** Users who link the source with the recommended item, and the reason that names them, even if its share is small. */
interface UserLink {
  users: readonly number[];
  reason: Finding;
}

function isLarge({ share }: Finding): boolean {
  return share >= minShare;
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
    const arrived = this.item >= (this.model.added?.firstItem ?? Number.POSITIVE_INFINITY);
    const users = arrived ? null : (this.linkByUsers(other, value) ?? this.linkByThird(other, value));
    const reasons = [...(users === null ? [] : [users.reason]), ...this.explainAttributes(value, true)];
    if (reasons.some(isLarge)) return reasons;
    // No reason distinguishes this item from the other related items, so the attributes common to all of them are the
    // reasons.
    const common = this.explainAttributes(value, false);
    if (common.length > 0) return common;
    const indirect = arrived || this.shared.length === 0 ? users : this.linkByThird(other, value);
    return indirect !== null && isLarge(indirect.reason) ? [indirect.reason] : this.explainTogether(other, value, indirect ?? users);
  }

  /** The users of both items; null if there are none. */
  private linkByUsers(other: number, value: number): UserLink | null {
    const { shared: users } = this;
    if (users.length === 0) return null;
    const ids = nameUsers(this.model, users, namedUsers);
    return { users, reason: { kind: 'co_interaction', ids, count: users.length, share: this.shareOfUsers(other, users, value) } };
  }

  /**
   * Reasons that stand for one another, as the words of a name that all items contain: without any one of them the value stays. The
   * attributes of both items together are one reason; if the value falls only without them and the users, both reasons have
   * half of the share.
   */
  private explainTogether(other: number, value: number, link: UserLink | null): Finding[] {
    const common = this.commonAttributes();
    const alone = fewestTogether(common.length, (count) => this.shareTogether(other, [], common.slice(0, count), value));
    const named = (count: number, share: number) => attributeReason(this.model, common.slice(0, count).map(({ attribute }) => attribute), share);
    if (alone !== null) return [named(alone.count, alone.share)];
    if (link === null) return [];
    const withUsers = fewestTogether(common.length, (count) => this.shareTogether(other, link.users, common.slice(0, count), value));
    return withUsers === null ? [] : [{ ...link.reason, share: withUsers.share / 2 }, named(withUsers.count, withUsers.share / 2)];
  }

  /** Attributes of both items, largest weight first. */
  private commonAttributes(): RemovedAttribute[] {
    const content = this.model.contentWeight[this.item] ?? 0;
    return this.otherAttributes
      .slice(0, triedAttributes)
      .filter(([attribute]) => this.ownAttributes.has(attribute))
      .map(([attribute, weight]) => ({ attribute, weight, sourceWeight: (this.ownAttributes.get(attribute) ?? 0) * content }))
      .sort((a, b) => b.weight - a.weight || a.attribute - b.attribute);
  }

  /** Share of the value that disappears without the users' interactions with the recommended item and without the attributes. */
  private shareTogether(other: number, users: readonly number[], attributes: readonly RemovedAttribute[], value: number): number {
    const degree = this.model.degree[other] ?? 0;
    const left = Math.max(0, degree - users.length);
    const { nearness, factors } = this.parts.without(users, attributes);
    const popularity = (left / (degree || 1)) ** popularityExponent;
    const seen = users === this.shared ? 0 : this.seenTerms(other);
    const rest = this.nearWeight(nearness, left) * nearness + this.expected * Math.min(1, factors * popularity) + seen;
    return clamp(this.withFactor(attributes.map(({ attribute }) => attribute), 1 - rest / value));
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
   * Share of the ranking value that disappears without some attributes.
   * @param share share of the value before the category factor that disappears
   */
  private withFactor(attributes: readonly number[], share: number): number {
    if (attributes.every((attribute) => this.model.isCategory[attribute] !== 1)) return share;
    return 1 - ((1 - share) * categoryFactor(this.ownCategories, this.otherCategories, this.formula.categories, new Set(attributes))) / this.factor;
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
        const loss = this.withFactor([attribute], this.lostWithoutOwn(attribute, near) / value);
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
    const { nearness, factors } = this.parts.without(users);
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
    const found: AttributeShare[] = [];
    for (const [attribute, weight] of this.otherAttributes.slice(0, triedAttributes)) {
      if (!this.ownAttributes.has(attribute)) continue;
      const lost = this.nearWeight(near) * (near - parts.without([], [{ attribute, weight, sourceWeight: 0 }]).nearness);
      const share = this.withFactor([attribute], (lost + this.lostWithoutOwn(attribute, near)) / value);
      const excess = share - (this.typicalLoss.get(attribute) ?? 0);
      if (apart && this.typicalLoss.size > 0 ? excess >= minExcess : share >= minShare) found.push({ attribute, share });
    }
    return attributeReasons(model, found);
  }

  /** Loss of value if the source loses an attribute; large if the source's embedding is mostly content. */
  private lostWithoutOwn(attribute: number, near: number): number {
    const weight = (this.ownAttributes.get(attribute) ?? 0) * (this.model.contentWeight[this.item] ?? 0);
    if (weight === 0) return 0;
    const { nearness, factors } = this.parts.without([], [{ attribute, weight: 0, sourceWeight: weight }]);
    return this.nearWeight(near) * (near - nearness) + this.expected * (1 - Math.min(1, factors));
  }

  /**
   * The users of the recommended item who also have a third item that is related to the source, for the best such third item; null
   * if there is none.
   */
  private linkByThird(other: number, value: number): UserLink | null {
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
    if (best === undefined) return null;
    const ids = nameUsers(model, best.users, namedUsers);
    const through = model.ids.get(model.itemNode[best.item] ?? 0);
    return { users: best.users, reason: { kind: 'co_interaction', ids, through, count: best.users.length, share: best.share } };
  }

  /**
   * Related items with users or attributes of the source. The others are related to the source only through further items, and a
   * reason that names such an item would be circular if the recommended item is the only further item.
   */
  private findThirds(): { item: number; audience: Row }[] {
    const { model } = this;
    const related = new Row();
    model.related.read(this.item, related);
    const possible = Array.from({ length: Math.min(related.count, possibleThirds) }, (_, at) => {
      const item = related.ints[related.start + at] ?? 0;
      const audience = new Row();
      model.audience.read(item, audience);
      return { item, audience };
    });
    return possible.filter(({ item, audience }) =>
      intersectUsers(this.audience, audience).length > 0 || readAttributes(model, item).some(([attribute]) => this.ownAttributes.has(attribute)));
  }
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}
