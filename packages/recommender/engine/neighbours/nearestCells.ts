import { createRandom } from '../linear/random.ts';
import type { QuantisedRows } from '../kernels/quantisedRows.ts';
import type { RowTools } from '../kernels/rowTools.ts';

/** Items compared with a query; a catalogue of at most this size is searched completely. */
export const comparedItems = 2048;
/**
 * Leading directions that the search compares. These directions carry most of an embedding's length, and the caller compares
 * the items found in all directions.
 */
const comparedColumns = 64;
const maxCells = 1024;
const clusterIterations = 4;
const samplesPerCell = 32;

/** The items of one target type in cells around centroids, which `NearestIndex` searches. Threads share the cells. */
export interface NearestCells {
  /** Items in cell order, and their truncated unit vectors in the same order. */
  items: Int32Array;
  units: QuantisedRows;
  cellStart: Int32Array;
  centroids: QuantisedRows;
}

/**
 * Builds spherical k-means cells of the given items.
 * @param embedding rows of `rank` columns; if `scale` is given, column k is multiplied by `scale[k]`
 * @param norms length of each item's row after scaling
 * @param members items to include, whose embeddings have a length above 0
 */
export function buildCells(
  tools: RowTools, embedding: Float32Array, norms: Float64Array, rank: number, members: Int32Array, seed: number,
  scale?: Float64Array,
): NearestCells {
  const columns = Math.min(rank, comparedColumns);
  const cells = members.length <= comparedItems ? 1 : Math.min(maxCells, Math.ceil(Math.sqrt(members.length)));
  const unit = tools.floats(columns);
  const takeUnit = (member: number): Float32Array => {
    const item = members[member] as number;
    const norm = norms[item] as number;
    for (let k = 0; k < columns; k++) {
      unit[k] = ((embedding[item * rank + k] as number) * (scale === undefined ? 1 : (scale[k] as number))) / norm;
    }
    return unit;
  };
  const centroids = tools.quantised(cells, columns);
  const assign = assigner(tools, centroids, cells, columns);
  if (cells > 1) findCentroids(tools, takeUnit, members.length, columns, cells, centroids, assign, seed);
  const cellOf = new Int32Array(members.length);
  const cellStart = new Int32Array(cells + 1);
  for (let member = 0; member < members.length; member++) {
    const cell = cells === 1 ? 0 : assign(takeUnit(member));
    cellOf[member] = cell;
    cellStart[cell + 1] = (cellStart[cell + 1] as number) + 1;
  }
  for (let cell = 0; cell < cells; cell++) cellStart[cell + 1] = (cellStart[cell + 1] as number) + (cellStart[cell] as number);
  const items = tools.integers(members.length);
  const units = tools.quantised(members.length, columns);
  const next = cellStart.slice();
  for (let member = 0; member < members.length; member++) {
    const cell = cellOf[member] as number;
    const place = next[cell] as number;
    next[cell] = place + 1;
    items[place] = members[member] as number;
    tools.quantise(takeUnit(member), null, units, place);
  }
  return { items, units, cellStart: tools.place(cellStart), centroids };
}

/** Finds the cell with the nearest centroid to a vector; of equally near centroids, the first. */
function assigner(tools: RowTools, centroids: QuantisedRows, cells: number, columns: number): (unit: Float32Array) => number {
  const key = tools.floats(cells);
  const query = tools.quantised(1, columns);
  return (unit) => {
    tools.quantise(unit, null, query, 0);
    tools.dot(query, centroids, 0, cells, [key]);
    let best = 0;
    for (let cell = 1; cell < cells; cell++) if ((key[cell] as number) > (key[best] as number)) best = cell;
    return best;
  };
}

function findCentroids(
  tools: RowTools,
  takeUnit: (member: number) => Float32Array,
  count: number,
  columns: number,
  cells: number,
  centroids: QuantisedRows,
  assign: (unit: Float32Array) => number,
  seed: number,
): void {
  const sample = sampleMembers(count, cells * samplesPerCell, seed);
  const centroid = tools.floats(columns);
  for (let cell = 0; cell < cells; cell++) tools.quantise(takeUnit(sample[cell] as number), null, centroids, cell);
  for (let iteration = 0; iteration < clusterIterations; iteration++) {
    const sums = new Float64Array(cells * columns);
    for (const member of sample) {
      const unit = takeUnit(member);
      const base = assign(unit) * columns;
      for (let k = 0; k < columns; k++) sums[base + k] = (sums[base + k] as number) + (unit[k] as number);
    }
    for (let cell = 0; cell < cells; cell++) {
      let squares = 0;
      for (let k = cell * columns; k < (cell + 1) * columns; k++) squares += (sums[k] as number) ** 2;
      // A cell without members keeps its centroid.
      if (squares === 0) continue;
      const length = Math.sqrt(squares);
      for (let k = 0; k < columns; k++) centroid[k] = (sums[cell * columns + k] as number) / length;
      tools.quantise(centroid, null, centroids, cell);
    }
  }
}

/** Returns `wanted` different members in random order, or all members if there are fewer. */
function sampleMembers(count: number, wanted: number, seed: number): Int32Array {
  const random = createRandom(seed);
  const order = Int32Array.from({ length: count }, (_, member) => member);
  const size = Math.min(wanted, count);
  for (let place = 0; place < size; place++) {
    const from = place + random.below(count - place);
    const member = order[from] as number;
    order[from] = order[place] as number;
    order[place] = member;
  }
  return order.slice(0, size);
}
