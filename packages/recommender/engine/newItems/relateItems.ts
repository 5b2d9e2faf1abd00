import { dot } from '../linear/dot.ts';
import type { Addition } from '../modelFile/addedItems.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { knownInteractions, priorInteractions } from '../neighbours/predictedTerms.ts';
import { estimateWeight, relatedFormula, valueBin, type RelatedFormula } from '../neighbours/relatedFormula.ts';
import { relatedLimit } from '../neighbours/relatedLists.ts';
import { categoriesOf, categoryFactor, rowCategoryFactor, type Categories } from '../query/categoryOverlap.ts';
import { selectLargest } from '../ranking/selectLargest.ts';
import { centreIsotonic } from '../scores/centredIsotonic.ts';
import { binOf } from '../scores/cosineBins.ts';
import type { AddedRow } from './addedTable.ts';
import type { ItemAttributes } from './attributeColumns.ts';
import { expectedStrength, lengthOf, type ComparedItems } from './comparedItems.ts';

/** The related items are chosen among this number of nearest items, and as many items with the largest expected P-terms. */
const comparedLimit = 300;
/** Number of nearest items whose lists get a new item. */
const listingItems = 200;

/** An item that is compared with others. */
export interface Comparand {
  item: number;
  type: number;
  /** Embedding, without the directions that content does not predict; empty in a model without interactions. */
  vector: Float64Array;
  attributes: ItemAttributes;
  /** Length of the vector; without interactions, of the attributes' weights. */
  length: number;
  categories: Categories;
  /** Whether lists may contain the item. */
  listed: boolean;
}

export function toComparand(model: ModelReader, given: Omit<Comparand, 'length' | 'categories' | 'listed'>): Comparand {
  const length = lengthOf(given.vector.length > 0 ? given.vector : given.attributes.weights);
  return { ...given, listed: true, length, categories: categoriesOf(entriesOf(given.attributes), model.isCategory) };
}

interface Near {
  item: number;
  cosine: number;
}

/**
 * Ranks the related items of a new item, and finds the lists that the new item belongs to. The ranking values are those that `RelatedRows` gives an
 * item without users: the prediction of the P-term and the cosine as its own list's values, and the cosine with the estimate of the NPMI as its
 * value in the lists of others, each times the factor of shared categories.
 */
export function relate(model: ModelReader, compared: ComparedItems, own: Comparand, others: readonly Comparand[]): { related: AddedRow; additions: [number, Addition][] } {
  const { items, cosine } = compared.nearest(own.vector, own.attributes, comparedLimit);
  const known = Array.from(items, (item, at): Near => ({ item, cosine: cosine[at] ?? 0 }));
  const near = [...known, ...nearestOthers(own, others)].sort((a, b) => b.cosine - a.cosine || a.item - b.item);
  const pairs = new Pairs(model, own, others);
  return {
    related: listOf(near, pairs),
    additions: near.filter(({ item }) => pairs.areCompared(item)).slice(0, listingItems).map((each) => [each.item, { item: own.item, value: pairs.valueFor(each), score: pairs.scoreFor(each) }]),
  };
}

/** The earlier new items with the largest cosines. */
function nearestOthers(own: Comparand, others: readonly Comparand[]): Near[] {
  const cosines = Float64Array.from(others, (other) => (other.listed ? cosineOf(own, other) : 0));
  const items = Int32Array.from(others, ({ item }) => item);
  const kept = Math.min(others.length, listingItems);
  selectLargest(cosines, items, others.length, kept);
  return Array.from(items.subarray(0, kept), (item, at): Near => ({ item, cosine: cosines[at] ?? 0 })).filter(({ cosine }) => cosine > 0);
}

/** The list of the new item: at most 100 items of each type, grouped by type. */
function listOf(near: readonly Near[], pairs: Pairs): AddedRow {
  const largest = near.reduce((most, each) => Math.max(most, pairs.prediction(each)), 0);
  const groups = new Map<number, (Near & { value: number })[]>();
  for (const each of near) {
    if (!pairs.areCompared(each.item)) continue;
    const type = pairs.typeOf(each.item);
    const group = groups.get(type) ?? [];
    groups.set(type, group);
    group.push({ ...each, value: pairs.ownValue(each, largest) });
  }
  const lists = [...groups].sort(([a], [b]) => a - b).map(([, group]) => rank(group, pairs));
  return {
    index: Int32Array.from(lists.flatMap(({ items }) => items)),
    planes: [Float64Array.from(lists.flatMap(({ values }) => values)), Float64Array.from(lists.flatMap(({ scores }) => [...scores]))],
  };
}

function rank(group: (Near & { value: number })[], pairs: Pairs): { items: number[]; values: number[]; scores: Float64Array } {
  const byValue = (a: { item: number; value: number }, b: { item: number; value: number }): number => b.value - a.value || a.item - b.item;
  const first = group.sort(byValue).slice(0, 2 * relatedLimit).map((each) => ({ ...each, value: each.value * pairs.categories(each.item) }));
  const list = first.sort(byValue).slice(0, relatedLimit);
  const values = list.map(({ value }) => value);
  const scores = Float64Array.from(list, (each) => pairs.ownScore(each));
  centreIsotonic(Float64Array.from(values), scores, 0, scores.length);
  return { items: list.map(({ item }) => item), values, scores };
}

/** Values and scores of the new item's pairs. */
class Pairs {
  private readonly model: ModelReader;
  private readonly own: Comparand;
  /** Numbers of new items follow each other. */
  private readonly others: readonly Comparand[];
  private readonly first: number;
  private readonly formula: RelatedFormula;
  private readonly hasEmbedding: boolean;
  private readonly factors = new Map<number, number>();
  private readonly row = new Row();

  constructor(model: ModelReader, own: Comparand, others: readonly Comparand[]) {
    this.model = model;
    this.own = own;
    this.others = others;
    this.first = model.facts.items;
    this.formula = model.facts.related ?? relatedFormula;
    this.hasEmbedding = own.vector.length > 0;
  }

  typeOf(item: number): number {
    return this.others[item - this.first]?.type ?? this.model.typeOfItem(item);
  }

  /** Without interactions, lists have one type only. */
  areCompared(item: number): boolean {
    return this.hasEmbedding || this.typeOf(item) === this.own.type;
  }

  /** Score in the list of the new item, by the ranking value with the factor of shared categories. */
  ownScore({ cosine, value }: Near & { value: number }): number {
    if (!this.hasEmbedding) return cosine;
    const { contentScores, cosineScores } = this.model.facts;
    return (contentScores === undefined ? cosineScores?.[binOf(cosine)] : contentScores.value[valueBin(value)]) ?? 0;
  }

  /** Score of the new item in the list of another item. */
  scoreFor({ cosine }: Near): number {
    if (!this.hasEmbedding) return cosine;
    const { contentScores, cosineScores } = this.model.facts;
    return (contentScores?.cosine ?? cosineScores)?.[binOf(cosine)] ?? 0;
  }

  /** Expected P-term of a pair, before it is divided by the largest. */
  prediction({ item, cosine }: Near): number {
    return cosine * expectedStrength(this.model, item);
  }

  /** Value in the list of the new item, without the factor of shared categories. */
  ownValue(near: Near, largest: number): number {
    if (!this.hasEmbedding) return near.cosine;
    const half = (1 - this.formula.information) / 2;
    return half * near.cosine + (largest > 0 ? (half * this.prediction(near)) / largest : 0);
  }

  /** Value of the new item in the list of the other item. */
  valueFor({ item, cosine }: Near): number {
    if (!this.hasEmbedding) return cosine;
    const { information } = this.formula;
    const degree = this.model.degree[item] ?? 0;
    const known = degree < knownInteractions ? degree / (degree + priorInteractions) : 1;
    return ((1 - information) / 2 + known * information * estimateWeight(this.formula, 0)) * cosine * this.categories(item);
  }

  /** The factor of shared categories. */
  categories(item: number): number {
    if (!this.hasEmbedding) return 1;
    const known = this.factors.get(item);
    if (known !== undefined) return known;
    const factor = this.categoryFactor(item);
    this.factors.set(item, factor);
    return factor;
  }

  private categoryFactor(item: number): number {
    const { own, model, row, formula } = this;
    const other = this.others[item - this.first];
    if (other !== undefined) return categoryFactor(own.categories, other.categories, formula.categories);
    model.attributes.read(item, row);
    return rowCategoryFactor(own.categories, row, model.isCategory, formula.categories);
  }
}

function entriesOf({ columns, weights }: ItemAttributes): [number, number][] {
  return Array.from(columns, (column, at) => [column, weights[at] ?? 0]);
}

function cosineOf(one: Comparand, other: Comparand): number {
  if (one.vector.length > 0) return Math.min(1, dot(one.vector, other.vector) / (one.length * other.length));
  const weightOf = new Map(entriesOf(other.attributes));
  const sum = entriesOf(one.attributes).reduce((total, [column, weight]) => total + weight * (weightOf.get(column) ?? 0), 0);
  return Math.min(1, sum / (one.length * other.length));
}
