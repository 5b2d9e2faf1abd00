import { readFileSync } from 'node:fs';

/**
 * Functions of the compiled module. All arguments are byte offsets in the memory or counts; `assembly/` documents each
 * function.
 */
export interface KernelFunctions {
  multiplyPanel(pointer: number, index: number, firstUser: number, lastUser: number, userWeight: number, v: number, out: number): void;
  scalePanel(panel: number, weight: number, rows: number, out: number): void;
  crossPanels(a: number, b: number, rows: number, out: number): void;
  crossPanelsDouble(a: number, b: number, rows: number, out: number): void;
  transformRows(
    block: number, rows: number, panels: number, first: number, last: number, small: number, outPanels: number, upper: number,
    out: number, outColumns: number, scratch: number,
  ): void;
  joinPanels(block: number, rows: number, panels: number, moved: number): void;
  subtractProduct(c: number, a: number, panels: number, distance: number, rows: number, w: number): void;
  zero(address: number, bytes: number): void;
  quantiseRow(values: number, weight: number, columns: number, row: number, step: number): void;
  dotOne(
    query: number, querySteps: number, matrix: number, steps: number, index: number, first: number, count: number, bytes: number,
    out: number,
  ): void;
  dotTwo(
    query: number, querySteps: number, matrix: number, steps: number, index: number, first: number, count: number, bytes: number,
    queryBytes: number, outA: number, outB: number,
  ): void;
  dotThree(
    query: number, querySteps: number, matrix: number, steps: number, index: number, first: number, count: number, bytes: number,
    queryBytes: number, outA: number, outB: number, outC: number,
  ): void;
  dotBlock(
    queries: number, querySteps: number, queryCount: number, queryBytes: number, matrix: number, steps: number, count: number, bytes: number,
    out: number, outBytes: number,
  ): void;
  operatorKeys(
    index: number, count: number, sums: number, damped: number, plain: number, inverseRoot: number, column: number, root: number,
    normal: number, row: number, low: number, key: number,
  ): void;
  comparedKeys(
    count: number, damped: number, plain: number, column: number, root: number, normal: number, row: number, low: number, key: number,
    touched: number, touchedCount: number, place: number, first: number, sums: number, inverseRoot: number,
  ): void;
  relatedKeys(
    index: number, count: number, sums: number, dot: number, inverseNorm: number, own: number, column: number, seen: number,
    term: number, popularity: number, expected: number, scale: number, near: number, key: number,
  ): void;
  largestSum(index: number, count: number, sums: number, weight: number): number;
  gramRow(
    item: number, audiencePointer: number, audienceIndex: number, rowPointer: number, rowIndex: number, userWeight: number,
    sums: number, found: number,
  ): number;
  spreadHistory(
    items: number, weights: number, count: number, audiencePointer: number, audienceIndex: number, rowPointer: number, rowIndex: number,
    userWeight: number, userSums: number, users: number, counts: number, sums: number, found: number,
  ): number;
  addRows(index: number, weights: number, count: number, matrix: number, rowBytes: number, out: number): void;
  unmarkedKeys(touched: number, count: number, marked: number, sums: number, weight: number, found: number, key: number): number;
  takeSums(found: number, best: number, touched: number, count: number, marked: number, sums: number, scale: number, out: number): number;
  valuesAt(known: number, values: number, count: number, table: number, index: number, wanted: number, out: number): void;
  tableAt(table: number, index: number, count: number, out: number): void;
  placedAt(place: number, values: number, index: number, count: number, out: number): void;
  profileScores(
    count: number, spread: number, high: number, column: number, low: number, root: number, normal: number, weight: number, out: number,
  ): void;
  addScaled(count: number, values: number, weight: number, out: number): void;
  improveVectors(
    vectors: number, rows: number, others: number, otherRows: number, panels: number, gram: number, pointer: number, index: number,
    first: number, last: number, confidence: number, steps: number, scratch: number,
  ): void;
  weighSums(index: number, count: number, sums: number, weight: number, key: number): void;
  clearSums(index: number, count: number, sums: number): void;
  selectLargest(key: number, index: number, count: number, k: number, scratch: number): void;
  writeJsonRows(items: number, millionths: number, count: number, firstRank: number, start: number, startBytes: number, out: number): number;
  listLargest(key: number, index: number, count: number, limit: number, outKey: number, outIndex: number, scratch: number): number;
  sortLargestFirst(key: number, index: number, count: number, scratch: number): void;
}

let compiled: WebAssembly.Module | null = null;

/** Instantiates the kernels on a memory. Each thread compiles the module once. */
export function instantiateKernels(memory: WebAssembly.Memory): KernelFunctions {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('./kernels.wasm', import.meta.url)));
  // The compiler generated these exports from typed functions, and a test calls each export.
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as KernelFunctions;
}
