import { sharedFloats } from '../matrix/sharedArrays.ts';
import { transpose } from '../matrix/transpose.ts';
import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import type { SparseRows, WeightedRows } from '../data/trainedModel.ts';

/** Index entries that one search reads at most, rarest attributes first; the skipped attributes have the smallest weights. */
const readEntries = 50_000;

/**
 * The attribute matrix with inverse document frequencies `ln(1 + items/n)` as weights.
 * @param columns number of attributes
 */
export function idfWeights(rows: SparseRows, columns: number): WeightedRows {
  const used = new Float64Array(columns);
  for (const column of rows.index) used[column] = (used[column] as number) + 1;
  const items = rows.pointer.length - 1;
  const value = sharedFloats(rows.index, (column) => Math.log(1 + items / (used[column] as number)));
  return { ...rows, value };
}

/** An inverted index that finds the items of the same type with the largest cosine of weighted attributes. */
export class ContentIndex {
  /** Results of `search`, largest cosine first. */
  readonly found: Int32Array;
  readonly cosine: Float64Array;
  private readonly weighted: WeightedRows;
  private readonly byColumn: SparseRows;
  private readonly itemGroup: Int32Array;
  private readonly norms: Float64Array;
  private readonly dots: Float64Array;

  constructor(weighted: WeightedRows, columns: number, itemGroup: Int32Array) {
    this.weighted = weighted;
    this.byColumn = transpose(weighted, columns);
    this.itemGroup = itemGroup;
    this.norms = weightedNorms(weighted);
    this.dots = new Float64Array(itemGroup.length);
    this.found = new Int32Array(itemGroup.length);
    this.cosine = new Float64Array(itemGroup.length);
  }

  /**
   * Writes up to `limit` items that share attributes with `item` to `found` and `cosine`.
   * @returns number of items found
   */
  search(item: number, limit: number): number {
    const { dots, found, cosine, norms, itemGroup } = this;
    const reached = this.addSharedAttributes(item);
    let count = 0;
    for (let place = 0; place < reached; place++) {
      const other = found[place] as number;
      const dot = dots[other] as number;
      dots[other] = 0;
      if (other === item || itemGroup[other] !== itemGroup[item]) continue;
      cosine[count] = Math.min(1, dot / ((norms[item] as number) * (norms[other] as number)));
      found[count++] = other;
    }
    const kept = Math.min(count, limit);
    selectLargest(cosine, found, count, kept);
    sortLargestFirst(cosine, found, kept);
    return kept;
  }

  /**
   * Adds the products of shared attributes to `dots` and lists the reached items in `found`.
   * @returns number of items reached
   */
  private addSharedAttributes(item: number): number {
    const { weighted, byColumn, dots, found } = this;
    const entries: number[] = [];
    const last = weighted.pointer[item + 1] as number;
    for (let entry = weighted.pointer[item] as number; entry < last; entry++) entries.push(entry);
    entries.sort((a, b) => (weighted.value[b] as number) - (weighted.value[a] as number) || a - b);
    let count = 0;
    let left = readEntries;
    for (const entry of entries) {
      if (left <= 0) break;
      const column = weighted.index[entry] as number;
      const product = (weighted.value[entry] as number) ** 2;
      const start = byColumn.pointer[column] as number;
      const end = Math.min(byColumn.pointer[column + 1] as number, start + left);
      for (let place = start; place < end; place++) {
        const other = byColumn.index[place] as number;
        if (dots[other] === 0) found[count++] = other;
        dots[other] = (dots[other] as number) + product;
      }
      left -= end - start;
    }
    return count;
  }
}

function weightedNorms(weighted: WeightedRows): Float64Array {
  const norms = new Float64Array(weighted.pointer.length - 1);
  for (let item = 0; item < norms.length; item++) {
    let squares = 0;
    const end = weighted.pointer[item + 1] as number;
    for (let entry = weighted.pointer[item] as number; entry < end; entry++) {
      squares += (weighted.value[entry] as number) ** 2;
    }
    norms[item] = Math.sqrt(squares);
  }
  return norms;
}
