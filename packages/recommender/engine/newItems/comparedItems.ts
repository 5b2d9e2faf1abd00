import { Row } from '../modelFile/wordRows.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { popularityExponent } from '../neighbours/boundCandidates.ts';
import { embeddingProducts } from '../query/embeddingProducts.ts';
import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import type { ItemAttributes } from './attributeColumns.ts';

/** Maximum number of items that each new item is compared with directly: about 5 ms. Larger catalogues are sampled evenly. */
const directItems = 20_000;
/** The nearest of a sample whose related items are compared too. */
const followedItems = 32;

/** Items with their cosines. */
export interface Compared {
  items: Int32Array;
  cosine: Float64Array;
}

/**
 * Compares new items with the items of a model file: by embedding, or by attributes if the model has no interactions. In a catalogue of more than
 * 20,000 items, a new item is compared with every n-th item, and then with the related items of the nearest.
 */
export class ComparedItems {
  private readonly model: ModelReader;
  private readonly direct: Int32Array;
  private readonly norms: Float64Array;
  /** What the expected P-term of each item has beside the cosine; set with the norms. */
  private readonly strengths: Float64Array;
  private readonly row = new Row();
  /** Dense weights of the current item, by attribute; only in a model without interactions. */
  private readonly dense: Float64Array;

  constructor(model: ModelReader) {
    const { items, rank } = model.facts;
    const step = Math.max(1, Math.ceil(items / directItems));
    this.model = model;
    this.direct = Int32Array.from({ length: Math.ceil(items / step) }, (_, at) => at * step);
    this.norms = new Float64Array(items).fill(-1);
    this.strengths = new Float64Array(items);
    this.dense = new Float64Array(rank === 0 ? model.attributeItems.length : 0);
  }

  /**
   * Returns items with a positive cosine: those with the largest cosines, and those with the largest expected P-terms.
   * @param limit maximum number of items of either kind
   * @param vector embedding of the new item; empty in a model without interactions
   */
  nearest(vector: Float64Array, attributes: ItemAttributes, limit: number): Compared {
    attributes.columns.forEach((column, at) => (this.dense[column] = attributes.weights[at] ?? 0));
    const found = this.select(this.direct, vector, attributes, limit);
    // The nearest are the first.
    const all = this.direct.length === this.model.facts.items ? found : this.select(this.withRelated(found.items), vector, attributes, limit);
    for (const column of attributes.columns) this.dense[column] = 0;
    return all;
  }

  private select(candidates: Int32Array, vector: Float64Array, attributes: ItemAttributes, limit: number): Compared {
    const items = new Int32Array(candidates.length);
    const cosine = new Float64Array(candidates.length);
    const strong = new Float64Array(candidates.length);
    const length = vector.length === 0 ? lengthOf(attributes.weights) : lengthOf(vector);
    const products = vector.length === 0 ? this.attributeProducts(candidates) : this.embeddingProducts(candidates, vector);
    let count = 0;
    for (let at = 0; at < candidates.length; at += 1) {
      const item = candidates[at] as number;
      const product = products[at] as number;
      if (!(product > 0)) continue;
      items[count] = item;
      cosine[count] = Math.min(1, product / (length * (this.norms[item] ?? 1)));
      strong[count] = (cosine[count] ?? 0) * (this.strengths[item] ?? 0);
      count += 1;
    }
    const places = new Set([...largest(cosine.subarray(0, count), limit), ...largest(strong.subarray(0, count), limit)]);
    return { items: Int32Array.from(places, (place) => items[place] ?? 0), cosine: Float64Array.from(places, (place) => cosine[place] ?? 0) };
  }

  private embeddingProducts(items: Int32Array, vector: Float64Array): Float64Array {
    const { model, row, norms } = this;
    for (const item of items) {
      if ((norms[item] ?? 0) >= 0) continue;
      model.readEmbedding(item, row);
      norms[item] = lengthOf(row.floats.subarray(row.start, row.start + model.facts.rank));
      this.strengths[item] = expectedStrength(model, item);
    }
    return embeddingProducts(model, items, vector);
  }

  private attributeProducts(items: Int32Array): Float64Array {
    return Float64Array.from(items, (item) => this.attributeProduct(item));
  }

  private attributeProduct(item: number): number {
    const { model, row, norms, dense } = this;
    model.attributes.read(item, row);
    const { ints, floats, start, count } = row;
    if ((norms[item] ?? 0) < 0) norms[item] = lengthOf(floats.subarray(start + count, start + 2 * count));
    let sum = 0;
    for (let at = start; at < start + count; at += 1) sum += (dense[ints[at] ?? 0] ?? 0) * (floats[at + count] ?? 0);
    return sum;
  }

  /** The items, and the related items of the first of them. */
  private withRelated(items: Int32Array): Int32Array {
    const all = new Set(items);
    const related = new Row();
    for (const item of items.subarray(0, followedItems)) {
      this.model.related.read(item, related);
      for (let at = related.start; at < related.start + related.count; at += 1) all.add(related.ints[at] ?? 0);
    }
    return Int32Array.from(all);
  }
}

/** The expected P-term of an item is the cosine times this number; 0 for an item without users. */
export function expectedStrength({ degree, factorLength }: ModelReader, item: number): number {
  return (factorLength[item] ?? 0) * (degree[item] ?? 0) ** popularityExponent;
}

/** Places of the `limit` largest values above 0, largest first. */
function largest(values: Float64Array, limit: number): Int32Array {
  const keys = values.slice();
  const places = new Int32Array(values.length);
  for (let at = 0; at < places.length; at += 1) places[at] = at;
  const kept = Math.min(values.length, limit);
  selectLargest(keys, places, values.length, kept);
  sortLargestFirst(keys, places, kept);
  return places.subarray(0, kept);
}

export function lengthOf(vector: Float32Array | Float64Array): number {
  let squares = 0;
  for (let k = 0; k < vector.length; k += 1) squares += (vector[k] as number) ** 2;
  return Math.sqrt(squares);
}
