import { growingFloats, growingIntegers } from '../matrix/growingArray.ts';
import { transpose } from '../matrix/transpose.ts';
import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import { relatedLimit } from './relatedRows.ts';
import type { RelatedList } from './relatedRows.ts';
import type { ProgressMeter } from '../progress/progressMeter.ts';
import type { SparseRows, WeightedRows } from '../trainedModel.ts';

/** Entries of the inverted index read per item, rarest attributes first; what is left out weighs least. */
const readEntries = 50_000;

/** The attribute matrix with inverse document frequencies `ln(1 + items/n)` as weights. */
export function idfWeights(rows: SparseRows, columns: number): WeightedRows {
  const used = new Float64Array(columns);
  for (const column of rows.index) used[column] = (used[column] as number) + 1;
  const items = rows.pointer.length - 1;
  const value = Float32Array.from(rows.index, (column) => Math.log(1 + items / (used[column] as number)));
  return { ...rows, value };
}

/**
 * Related items of a catalogue without interactions: the 100 items of the same type with the largest idf-weighted cosine
 * of their attributes, which is order and score at once.
 */
export function contentRows(
  weighted: WeightedRows,
  columns: number,
  itemGroup: Int32Array,
  meter: ProgressMeter,
): RelatedList {
  const items = itemGroup.length;
  const byColumn = transpose(weighted, columns);
  const norms = weightedNorms(weighted);
  const dots = new Float64Array(items);
  const touched = new Int32Array(items);
  const key = new Float64Array(items);
  const pointer = new Float64Array(items + 1);
  const index = growingIntegers();
  const value = growingFloats();
  for (let item = 0; item < items; item++) {
    let count = addSharedAttributes(weighted, byColumn, item, dots, touched);
    count = keepGroup(touched, count, dots, itemGroup, item);
    for (let place = 0; place < count; place++) {
      const other = touched[place] as number;
      key[place] = Math.min(1, (dots[other] as number) / ((norms[item] as number) * (norms[other] as number)));
      dots[other] = 0;
    }
    const kept = Math.min(count, relatedLimit);
    selectLargest(key, touched, count, kept);
    sortLargestFirst(key, touched, kept);
    for (let place = 0; place < kept; place++) {
      index.push(touched[place] as number);
      value.push(key[place] as number);
    }
    pointer[item + 1] = index.length;
    meter.advance(1);
  }
  const values = value.take();
  return { pointer, index: index.take(), value: values, score: values.slice() };
}

function weightedNorms(weighted: WeightedRows): Float64Array {
  const norms = new Float64Array(weighted.pointer.length - 1);
  for (let item = 0; item < norms.length; item++) {
    let squares = 0;
    const end = weighted.pointer[item + 1] as number;
    for (let entry = weighted.pointer[item] as number; entry < end; entry++) squares += (weighted.value[entry] as number) ** 2;
    norms[item] = Math.sqrt(squares);
  }
  return norms;
}

/** Adds the products of shared attributes to `dots` and lists the items reached; returns how many. */
function addSharedAttributes(
  weighted: WeightedRows,
  byColumn: SparseRows,
  item: number,
  dots: Float64Array,
  touched: Int32Array,
): number {
  const entries: number[] = [];
  for (let entry = weighted.pointer[item] as number; entry < (weighted.pointer[item + 1] as number); entry++) entries.push(entry);
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
      if (dots[other] === 0) touched[count++] = other;
      dots[other] = (dots[other] as number) + product;
    }
    left -= end - start;
  }
  return count;
}

/** Drops the item itself and items of other groups, whose `dots` are cleared. */
function keepGroup(touched: Int32Array, count: number, dots: Float64Array, itemGroup: Int32Array, item: number): number {
  let kept = 0;
  for (let place = 0; place < count; place++) {
    const other = touched[place] as number;
    if (other !== item && itemGroup[other] === itemGroup[item]) touched[kept++] = other;
    else dots[other] = 0;
  }
  return kept;
}
