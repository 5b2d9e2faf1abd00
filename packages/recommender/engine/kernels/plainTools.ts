import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';
import type { SparseRows } from '../data/trainedModel.ts';
import { dotQuantised, quantisedWidth, quantiseRow, type QuantisedRows } from './quantisedRows.ts';
import type { ConsecutiveItems, OperatorTerms, Outs, ProfileTerms, ReachedCounts, RelatedTerms, RowTools, SpreadSums, TouchedItems, WeightedItems } from './rowTools.ts';

/** The same functions as the kernels, in plain TypeScript. */
export class PlainTools implements RowTools {
  readonly selectLargest = selectLargest;
  readonly sortLargestFirst = sortLargestFirst;
  readonly quantise = quantiseRow;

  floats(n: number): Float32Array {
    return new Float32Array(n);
  }

  integers(n: number): Int32Array {
    return new Int32Array(n);
  }

  place<Numbers extends Float32Array | Int32Array | Float64Array>(array: Numbers): Numbers {
    return array;
  }

  quantised(rows: number, columns: number): QuantisedRows {
    const width = quantisedWidth(columns);
    return { entries: new Int16Array(rows * width), steps: new Float32Array(rows), width };
  }

  listLargest(key: Float32Array, index: Int32Array, n: number, k: number, outKey: Float32Array, outIndex: Int32Array): number {
    const [keys, indexes, kept] = [key.slice(0, n), index.slice(0, n), Math.min(k, n)];
    selectLargest(keys, indexes, n, kept);
    sortLargestFirst(keys, indexes, kept);
    let count = 0;
    for (; count < kept && (keys[count] as number) > 0; count++) {
      outKey[count] = keys[count] as number;
      outIndex[count] = indexes[count] as number;
    }
    return count;
  }

  dot(queries: QuantisedRows, matrix: QuantisedRows, index: Int32Array | number, n: number, outs: Outs): void {
    outs.forEach((out, which) => out !== undefined && dotQuantised(queries, which, matrix, index, n, out));
  }

  dotAll(queries: QuantisedRows, count: number, matrix: QuantisedRows, out: Float32Array): void {
    const rows = matrix.steps.length;
    for (let which = 0; which < count; which++) dotQuantised(queries, which, matrix, 0, rows, out.subarray(which * rows, (which + 1) * rows));
  }

  operatorKeys(index: Int32Array, n: number, sums: Float32Array, terms: OperatorTerms, key: Float32Array): void {
    const { damped, plain, inverseRoot, columnPower, root, normaliser, rowPower, lowPass } = terms;
    for (let place = 0; place < n; place++) {
      const other = index[place] as number;
      const p = (sums[2 * other] as number) * normaliser * (inverseRoot[other] as number);
      key[place] =
        rowPower * (p + (damped[place] as number)) * (columnPower[other] as number) +
        lowPass * (plain[place] as number) * (root[other] as number);
    }
  }

  comparedKeys(
    { place, first, count, columnPower, root }: ConsecutiveItems, touched: Int32Array, n: number, sums: Float32Array, terms: OperatorTerms, key: Float32Array,
  ): void {
    const { damped, plain, inverseRoot, normaliser, rowPower, lowPass } = terms;
    const set = (at: number, p: number): void => {
      key[at] = rowPower * (p + (damped[at] as number)) * (columnPower[at] as number) + lowPass * (plain[at] as number) * (root[at] as number);
    };
    for (let at = 0; at < count; at++) set(at, 0);
    for (let k = 0; k < n; k++) {
      const other = touched[k] as number;
      const at = (place[other] as number) - first;
      if (at >= 0 && at < count) set(at, (sums[2 * other] as number) * normaliser * (inverseRoot[other] as number));
    }
  }

  relatedKeys(index: Int32Array, n: number, sums: Float32Array, terms: RelatedTerms, key: Float32Array): void {
    const { dot, term, inverseNorm, columnWeight, popularity, near, inverseLength, seen, expected, scale } = terms;
    for (let place = 0; place < n; place++) {
      const other = index[place] as number;
      const cosine = (dot[place] as number) * inverseLength * (inverseNorm[other] as number);
      let half = seen * (sums[2 * other] as number) * (columnWeight[other] as number);
      if (term !== null) half += expected * Math.min(1, Math.max(0, (term[place] as number) * scale * (popularity[other] as number)));
      near[other] = cosine;
      key[place] = 0.5 * (half + cosine);
    }
  }

  largestSum(index: Int32Array, n: number, sums: Float32Array, weight: Float32Array): number {
    let largest = 0;
    for (let place = 0; place < n; place++) {
      const other = index[place] as number;
      largest = Math.max(largest, (sums[2 * other] as number) * (weight[other] as number));
    }
    return largest;
  }

  gramRow(item: number, audience: SparseRows, rows: SparseRows, userWeight: Float32Array, sums: Float32Array, found: Int32Array): number {
    let count = 0;
    const lastUser = audience.pointer[item + 1] as number;
    for (let place = audience.pointer[item] as number; place < lastUser; place++) {
      const user = audience.index[place] as number;
      const weight = userWeight[user] as number;
      const end = rows.pointer[user + 1] as number;
      for (let entry = rows.pointer[user] as number; entry < end; entry++) {
        const other = rows.index[entry] as number;
        const common = sums[2 * other + 1] as number;
        if (common === 0) found[count++] = other;
        sums[2 * other] = (sums[2 * other] as number) + weight;
        sums[2 * other + 1] = common + 1;
      }
    }
    return count;
  }

  spreadHistory(
    { items, weights, count }: WeightedItems, audience: SparseRows, rows: SparseRows, userWeight: Float32Array, { userSums, users, sums, found }: SpreadSums,
  ): ReachedCounts {
    let reachedUsers = 0;
    for (let place = 0; place < count; place++) {
      if (weights[place] === 0) continue;
      reachedUsers = addTo(userSums, weights[place] as number, audience, items[place] as number, users, reachedUsers);
    }
    let reached = 0;
    let additions = reachedUsers;
    for (let place = 0; place < reachedUsers; place++) {
      const user = users[place] as number;
      additions += (rows.pointer[user + 1] as number) - (rows.pointer[user] as number);
      const weight = Math.fround((userSums[user] as number) * (userWeight[user] as number));
      userSums[user] = 0;
      reached = addTo(sums, weight, rows, user, found, reached);
    }
    return { users: reachedUsers, items: reached, additions };
  }

  addRows({ items, weights, count }: WeightedItems, matrix: Float32Array, out: Float32Array): void {
    for (let place = 0; place < count; place++) {
      const weight = weights[place] as number;
      for (let k = 0, at = (items[place] as number) * out.length; k < out.length; k++, at++) {
        out[k] = (out[k] as number) + Math.fround(weight * (matrix[at] as number));
      }
    }
  }

  unmarkedKeys({ items, count, marked, sums }: TouchedItems, weight: Float32Array, found: Int32Array, key: Float32Array): number {
    let next = 0;
    for (let place = 0; place < count; place++) {
      const item = items[place] as number;
      if (marked[item] !== 0) continue;
      found[next] = item;
      key[next++] = (sums[item] as number) * (weight[item] as number);
    }
    return next;
  }

  takeSums(found: Int32Array, best: number, { items, count, marked, sums }: TouchedItems, scale: Float32Array, out: Float32Array): number {
    const take = (item: number, to: number): void => {
      out[to] = (sums[item] as number) * (scale[item] as number);
      sums[item] = 0;
    };
    for (let place = 0; place < best; place++) take(found[place] as number, place);
    let next = best;
    for (let place = 0; place < count; place++) {
      const item = items[place] as number;
      if (sums[item] === 0 || marked[item] === 0) sums[item] = 0;
      else {
        found[next] = item;
        take(item, next++);
      }
    }
    return next;
  }

  valuesAt({ items, weights, count }: WeightedItems, table: Float32Array, index: Int32Array, n: number, out: Float32Array): void {
    for (let place = 0; place < count; place++) table[items[place] as number] = weights[place] as number;
    this.tableAt(table, index, n, out);
    for (let place = 0; place < count; place++) table[items[place] as number] = 0;
  }

  tableAt(table: Float32Array, index: Int32Array, n: number, out: Float32Array): void {
    for (let at = 0; at < n; at++) out[at] = table[index[at] as number] as number;
  }

  placedAt(place: Int32Array, values: Float32Array, index: Int32Array, n: number, out: Float32Array): void {
    for (let at = 0; at < n; at++) out[at] = values[place[index[at] as number] as number] ?? 0;
  }

  profileScores({ spread, high, column, low, root, normaliser, lowPass }: ProfileTerms, n: number, out: Float32Array): void {
    const { fround } = Math;
    for (let at = 0; at < n; at++) {
      const neighbours = fround(fround((spread[at] as number) * fround(normaliser)) + (high[at] as number));
      const plain = fround(fround(fround(lowPass) * (low[at] as number)) * (root[at] as number));
      out[at] = fround(neighbours * (column[at] as number)) + plain;
    }
  }

  addScaled(values: Float32Array, weight: number, n: number, out: Float32Array): void {
    for (let at = 0; at < n; at++) out[at] = (out[at] as number) + Math.fround(Math.fround(weight) * (values[at] as number));
  }

  weighSums(index: Int32Array, n: number, sums: Float32Array, weight: Float32Array, key: Float32Array): void {
    for (let place = 0; place < n; place++) {
      const other = index[place] as number;
      key[place] = (sums[2 * other] as number) * (weight[other] as number);
    }
  }

  clearSums(index: Int32Array, n: number, sums: Float32Array): void {
    for (let place = 0; place < n; place++) {
      const other = index[place] as number;
      sums[2 * other] = 0;
      sums[2 * other + 1] = 0;
    }
  }
}

/** Adds a weight to the sums of a row's entries; lists the entries whose sum was 0 from `count` on, and returns the new count. */
function addTo(sums: Float32Array, weight: number, { pointer, index }: SparseRows, row: number, listed: Int32Array, count: number): number {
  let next = count;
  const end = pointer[row + 1] as number;
  for (let at = pointer[row] as number; at < end; at++) {
    const entry = index[at] as number;
    const before = sums[entry] as number;
    if (before === 0) listed[next++] = entry;
    sums[entry] = before + weight;
  }
  return next;
}
