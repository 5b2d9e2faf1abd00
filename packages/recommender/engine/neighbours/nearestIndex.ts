import { dotRows } from '../linear/dotRows.ts';
import { SeededRandom } from '../linear/random.ts';
import { selectLargest, sortLargestFirst } from '../ranking/selectLargest.ts';

/** Items compared with a query; catalogues up to this size are searched whole. */
const comparedItems = 2048;
/** Leading directions that are compared: they carry most of the length, and the caller compares what is found fully. */
const comparedColumns = 64;
const maximumCells = 1024;
const clusterIterations = 4;
const samplesPerCell = 32;

/**
 * Finds the items of one target type whose embeddings point most nearly in the direction of a query: an inverted file
 * over spherical k-means cells (Jégou et al. 2011), cells visited from the nearest until 2,048 items were compared, so
 * that the cost of a query grows with the square root of the catalogue.
 */
export class NearestIndex {
  private readonly columns: number;
  private readonly stride: number;
  /** Items in cell order, and their shortened unit vectors in the same order. */
  private readonly items: Int32Array;
  private readonly units: Float32Array;
  private readonly cellStart: Int32Array;
  private readonly centroids: Float32Array;
  private readonly cellKey: Float64Array;
  private readonly cellOrder: Int32Array;
  private readonly query: Float64Array;
  private readonly key: Float64Array;
  private readonly found: Int32Array;

  /** @param items members with an embedding of length > 0 */
  constructor(embedding: Float32Array, norms: Float64Array, rank: number, items: Int32Array, seed: number) {
    this.stride = rank;
    this.columns = Math.min(rank, comparedColumns);
    const units = unitRows(embedding, norms, rank, this.columns, items);
    const cells = items.length <= comparedItems ? 1 : Math.min(maximumCells, Math.ceil(Math.sqrt(items.length)));
    this.centroids = findCentroids(units, items.length, this.columns, cells, seed);
    const cellOf = assign(units, items.length, this.columns, this.centroids, cells);
    this.cellStart = new Int32Array(cells + 1);
    for (const cell of cellOf) this.cellStart[cell + 1] = (this.cellStart[cell + 1] as number) + 1;
    for (let cell = 0; cell < cells; cell++) {
      this.cellStart[cell + 1] = (this.cellStart[cell + 1] as number) + (this.cellStart[cell] as number);
    }
    this.items = new Int32Array(items.length);
    this.units = new Float32Array(units.length);
    const next = this.cellStart.slice();
    for (let member = 0; member < items.length; member++) {
      const cell = cellOf[member] as number;
      const place = next[cell] as number;
      next[cell] = place + 1;
      this.items[place] = items[member] as number;
      this.units.set(units.subarray(member * this.columns, (member + 1) * this.columns), place * this.columns);
    }
    this.cellKey = new Float64Array(cells);
    this.cellOrder = new Int32Array(cells);
    this.query = new Float64Array(this.columns);
    // One cell more than the limit may be entered before the limit is noticed.
    this.key = new Float64Array(items.length);
    this.found = new Int32Array(items.length);
  }

  /** Writes up to `limit` items nearest to row `item` of the embedding to `out`; returns how many. */
  search(embedding: Float32Array, item: number, limit: number, out: Int32Array): number {
    for (let k = 0; k < this.columns; k++) this.query[k] = embedding[item * this.stride + k] as number;
    const cells = this.cellKey.length;
    for (let cell = 0; cell < cells; cell++) this.cellOrder[cell] = cell;
    if (cells > 1) {
      dotRows(this.query, this.centroids, 0, cells, this.columns, this.cellKey, 0);
      sortLargestFirst(this.cellKey, this.cellOrder, cells);
    }
    let count = 0;
    for (let visited = 0; visited < cells && count < comparedItems; visited++) {
      const cell = this.cellOrder[visited] as number;
      const start = this.cellStart[cell] as number;
      const size = Math.min((this.cellStart[cell + 1] as number) - start, 2 * comparedItems - count);
      dotRows(this.query, this.units, start, size, this.columns, this.key, count);
      this.found.set(this.items.subarray(start, start + size), count);
      count += size;
    }
    const kept = Math.min(count, limit);
    selectLargest(this.key, this.found, count, kept);
    out.set(this.found.subarray(0, kept));
    return kept;
  }
}

function unitRows(
  embedding: Float32Array,
  norms: Float64Array,
  rank: number,
  columns: number,
  items: Int32Array,
): Float32Array {
  const units = new Float32Array(items.length * columns);
  for (let member = 0; member < items.length; member++) {
    const item = items[member] as number;
    const norm = norms[item] as number;
    for (let k = 0; k < columns; k++) units[member * columns + k] = (embedding[item * rank + k] as number) / norm;
  }
  return units;
}

function findCentroids(
  units: Float32Array,
  count: number,
  columns: number,
  cells: number,
  seed: number,
): Float32Array {
  const centroids = new Float32Array(cells * columns);
  if (cells === 1) return centroids;
  const sample = sampleRows(units, count, columns, cells * samplesPerCell, seed);
  const samples = sample.length / columns;
  centroids.set(sample.subarray(0, cells * columns));
  for (let iteration = 0; iteration < clusterIterations; iteration++) {
    const cellOf = assign(sample, samples, columns, centroids, cells);
    const sums = new Float64Array(cells * columns);
    for (let row = 0; row < samples; row++) {
      const base = (cellOf[row] as number) * columns;
      for (let k = 0; k < columns; k++) {
        sums[base + k] = (sums[base + k] as number) + (sample[row * columns + k] as number);
      }
    }
    for (let cell = 0; cell < cells; cell++) {
      let squares = 0;
      for (let k = cell * columns; k < (cell + 1) * columns; k++) squares += (sums[k] as number) ** 2;
      // A cell that nobody is nearest to keeps its centroid.
      if (squares === 0) continue;
      const length = Math.sqrt(squares);
      for (let k = cell * columns; k < (cell + 1) * columns; k++) centroids[k] = (sums[k] as number) / length;
    }
  }
  return centroids;
}

/** `wanted` different rows in random order (all, if there are fewer). */
function sampleRows(units: Float32Array, count: number, columns: number, wanted: number, seed: number): Float32Array {
  const random = new SeededRandom(seed);
  const order = Int32Array.from({ length: count }, (_, row) => row);
  const size = Math.min(wanted, count);
  const sample = new Float32Array(size * columns);
  for (let place = 0; place < size; place++) {
    const from = place + random.below(count - place);
    const row = order[from] as number;
    order[from] = order[place] as number;
    sample.set(units.subarray(row * columns, (row + 1) * columns), place * columns);
  }
  return sample;
}

function assign(
  units: Float32Array,
  count: number,
  columns: number,
  centroids: Float32Array,
  cells: number,
): Int32Array {
  const cellOf = new Int32Array(count);
  if (cells === 1) return cellOf;
  const query = new Float64Array(columns);
  const key = new Float64Array(cells);
  for (let row = 0; row < count; row++) {
    query.set(units.subarray(row * columns, (row + 1) * columns));
    dotRows(query, centroids, 0, cells, columns, key, 0);
    let best = 0;
    for (let cell = 1; cell < cells; cell++) if ((key[cell] as number) > (key[best] as number)) best = cell;
    cellOf[row] = best;
  }
  return cellOf;
}
