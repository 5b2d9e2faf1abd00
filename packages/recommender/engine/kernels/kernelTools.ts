import type { SparseRows } from '../data/trainedModel.ts';
import type { KernelFunctions } from './kernelModule.ts';
import { quantisedWidth, type QuantisedRows } from './quantisedRows.ts';
import type { ConsecutiveItems, OperatorTerms, Outs, ProfileTerms, ReachedCounts, RelatedTerms, RowTools, SpreadSums, TouchedItems, WeightedItems } from './rowTools.ts';
import type { Workspace } from './workspace.ts';

/** Smallest capacity for selections, for catalogues with fewer items. */
const minSelected = 8192;
/** Doubles in which a selection counts keys. */
const partsDoubles = 512;
const shortBytes = 2;
const floatBytes = 4;

/** Row tools that call the kernels on arrays of a workspace. */
export class KernelTools implements RowTools {
  private readonly workspace: Workspace;
  private readonly call: KernelFunctions;
  private readonly scratch: number;
  private readonly counts: Int32Array;
  private readonly longest: number;

  /** @param items upper limit of the length of a selection (at least `minSelected` is available) */
  constructor(workspace: Workspace, items: number) {
    this.workspace = workspace;
    this.call = workspace.call;
    this.longest = Math.max(items, minSelected);
    this.scratch = workspace.doubles(this.longest + partsDoubles).byteOffset;
    this.counts = workspace.integers(2);
  }

  floats(n: number): Float32Array {
    return this.workspace.floats(n);
  }

  integers(n: number): Int32Array {
    return this.workspace.integers(n);
  }

  place<Numbers extends Float32Array | Int32Array | Float64Array>(array: Numbers): Numbers {
    return this.workspace.place(array);
  }

  quantised(rows: number, columns: number): QuantisedRows {
    const width = quantisedWidth(columns);
    return { entries: this.workspace.shorts(rows * width), steps: this.workspace.floats(rows), width };
  }

  quantise(values: Float32Array, weight: Float32Array | null, { entries, steps, width }: QuantisedRows, row: number): void {
    this.call.quantiseRow(
      values.byteOffset, weight === null ? 0 : weight.byteOffset, values.length, entries.byteOffset + shortBytes * row * width,
      steps.byteOffset + floatBytes * row,
    );
  }

  dot(queries: QuantisedRows, { entries, steps, width }: QuantisedRows, index: Int32Array | number, n: number, [a, b, c]: Outs): void {
    const [listed, first] = typeof index === 'number' ? [0, index] : [index.byteOffset, 0];
    const query = queries.entries.byteOffset;
    const querySteps = queries.steps.byteOffset;
    const [matrix, ofRows, bytes, queryBytes] = [entries.byteOffset, steps.byteOffset, shortBytes * width, shortBytes * queries.width];
    if (b === undefined) this.call.dotOne(query, querySteps, matrix, ofRows, listed, first, n, bytes, a.byteOffset);
    else if (c === undefined) this.call.dotTwo(query, querySteps, matrix, ofRows, listed, first, n, bytes, queryBytes, a.byteOffset, b.byteOffset);
    else {
      this.call.dotThree(
        query, querySteps, matrix, ofRows, listed, first, n, bytes, queryBytes, a.byteOffset, b.byteOffset, c.byteOffset,
      );
    }
  }

  dotAll(queries: QuantisedRows, count: number, { entries, steps, width }: QuantisedRows, out: Float32Array): void {
    const rows = steps.length;
    this.call.dotBlock(
      queries.entries.byteOffset, queries.steps.byteOffset, count, shortBytes * queries.width, entries.byteOffset, steps.byteOffset, rows, shortBytes * width,
      out.byteOffset, floatBytes * rows,
    );
  }

  operatorKeys(index: Int32Array, n: number, sums: Float32Array, terms: OperatorTerms, key: Float32Array): void {
    const { damped, plain, inverseRoot, columnPower, root } = terms;
    this.call.operatorKeys(
      index.byteOffset, n, sums.byteOffset, damped.byteOffset, plain.byteOffset, inverseRoot.byteOffset, columnPower.byteOffset,
      root.byteOffset, terms.normaliser, terms.rowPower, terms.lowPass, key.byteOffset,
    );
  }

  comparedKeys(
    { place, first, count, columnPower, root }: ConsecutiveItems, touched: Int32Array, n: number, sums: Float32Array, terms: OperatorTerms, key: Float32Array,
  ): void {
    const { damped, plain, inverseRoot } = terms;
    this.call.comparedKeys(
      count, damped.byteOffset, plain.byteOffset, columnPower.byteOffset, root.byteOffset, terms.normaliser, terms.rowPower, terms.lowPass,
      key.byteOffset, touched.byteOffset, n, place.byteOffset, first, sums.byteOffset, inverseRoot.byteOffset,
    );
  }

  relatedKeys(index: Int32Array, n: number, sums: Float32Array, terms: RelatedTerms, key: Float32Array): void {
    const { dot, term, inverseNorm, columnWeight, popularity, near } = terms;
    this.call.relatedKeys(
      index.byteOffset, n, sums.byteOffset, dot.byteOffset, inverseNorm.byteOffset, terms.inverseLength, columnWeight.byteOffset,
      terms.seen, term === null ? 0 : term.byteOffset, popularity.byteOffset, terms.expected, terms.scale, near.byteOffset,
      key.byteOffset,
    );
  }

  largestSum(index: Int32Array, n: number, sums: Float32Array, weight: Float32Array): number {
    return this.call.largestSum(index.byteOffset, n, sums.byteOffset, weight.byteOffset);
  }

  selectLargest(key: Float32Array, index: Int32Array, n: number, k: number): void {
    this.checkLength(n);
    if (k < n) this.call.selectLargest(key.byteOffset, index.byteOffset, n, k, this.scratch);
  }

  listLargest(key: Float32Array, index: Int32Array, n: number, k: number, outKey: Float32Array, outIndex: Int32Array): number {
    this.checkLength(2 * k);
    return this.call.listLargest(key.byteOffset, index.byteOffset, n, k, outKey.byteOffset, outIndex.byteOffset, this.scratch);
  }

  sortLargestFirst(key: Float32Array, index: Int32Array, n: number): void {
    this.checkLength(n);
    this.call.sortLargestFirst(key.byteOffset, index.byteOffset, n, this.scratch);
  }

  gramRow(item: number, audience: SparseRows, rows: SparseRows, userWeight: Float32Array, sums: Float32Array, found: Int32Array): number {
    return this.call.gramRow(
      item, audience.pointer.byteOffset, audience.index.byteOffset, rows.pointer.byteOffset, rows.index.byteOffset,
      userWeight.byteOffset, sums.byteOffset, found.byteOffset,
    );
  }

  spreadHistory(
    { items, weights, count }: WeightedItems, audience: SparseRows, rows: SparseRows, userWeight: Float32Array, { userSums, users, sums, found }: SpreadSums,
  ): ReachedCounts {
    const reached = this.call.spreadHistory(
      items.byteOffset, weights.byteOffset, count, audience.pointer.byteOffset, audience.index.byteOffset, rows.pointer.byteOffset, rows.index.byteOffset,
      userWeight.byteOffset, userSums.byteOffset, users.byteOffset, this.counts.byteOffset, sums.byteOffset, found.byteOffset,
    );
    return { users: this.counts[0] as number, items: reached, additions: this.counts[1] as number };
  }

  addRows({ items, weights, count }: WeightedItems, matrix: Float32Array, out: Float32Array): void {
    this.call.addRows(items.byteOffset, weights.byteOffset, count, matrix.byteOffset, out.byteLength, out.byteOffset);
  }

  unmarkedKeys({ items, count, marked, sums }: TouchedItems, weight: Float32Array, found: Int32Array, key: Float32Array): number {
    return this.call.unmarkedKeys(items.byteOffset, count, marked.byteOffset, sums.byteOffset, weight.byteOffset, found.byteOffset, key.byteOffset);
  }

  takeSums(found: Int32Array, best: number, { items, count, marked, sums }: TouchedItems, scale: Float32Array, out: Float32Array): number {
    return this.call.takeSums(found.byteOffset, best, items.byteOffset, count, marked.byteOffset, sums.byteOffset, scale.byteOffset, out.byteOffset);
  }

  valuesAt({ items, weights, count }: WeightedItems, table: Float32Array, index: Int32Array, n: number, out: Float32Array): void {
    this.call.valuesAt(items.byteOffset, weights.byteOffset, count, table.byteOffset, index.byteOffset, n, out.byteOffset);
  }

  tableAt(table: Float32Array, index: Int32Array, n: number, out: Float32Array): void {
    this.call.tableAt(table.byteOffset, index.byteOffset, n, out.byteOffset);
  }

  placedAt(place: Int32Array, values: Float32Array, index: Int32Array, n: number, out: Float32Array): void {
    this.call.placedAt(place.byteOffset, values.byteOffset, index.byteOffset, n, out.byteOffset);
  }

  profileScores({ spread, high, column, low, root, normaliser, lowPass }: ProfileTerms, n: number, out: Float32Array): void {
    this.call.profileScores(
      n, spread.byteOffset, high.byteOffset, column.byteOffset, low.byteOffset, root.byteOffset, normaliser, lowPass, out.byteOffset,
    );
  }

  addScaled(values: Float32Array, weight: number, n: number, out: Float32Array): void {
    this.call.addScaled(n, values.byteOffset, weight, out.byteOffset);
  }

  weighSums(index: Int32Array, n: number, sums: Float32Array, weight: Float32Array, key: Float32Array): void {
    this.call.weighSums(index.byteOffset, n, sums.byteOffset, weight.byteOffset, key.byteOffset);
  }

  clearSums(index: Int32Array, n: number, sums: Float32Array): void {
    this.call.clearSums(index.byteOffset, n, sums.byteOffset);
  }

  /** Checks the length before a call, because kernels do not check bounds. */
  private checkLength(n: number): void {
    if (n > this.longest) throw new RangeError(`a selection from ${n} entries is longer than the ${this.longest} prepared for`);
  }
}
