import { comparedItems, type NearestCells } from './nearestCells.ts';
import type { QuantisedRows } from '../kernels/quantisedRows.ts';
import type { RowTools } from '../kernels/rowTools.ts';

/**
 * Finds the items of one target type whose embeddings have the largest cosine with a query. The index is an inverted file
 * over spherical k-means cells (Jégou et al. 2011). A search visits cells, nearest first, until it has compared 2,048 items,
 * so the cost of a query grows with the square root of the catalogue.
 */
export class NearestIndex {
  private readonly tools: RowTools;
  private readonly cells: NearestCells;
  private readonly cellKey: Float32Array;
  private readonly cellOrder: Int32Array;
  private readonly maxVisitedMembers: number;
  private readonly key: Float32Array;
  private readonly found: Int32Array;

  constructor(tools: RowTools, cells: NearestCells) {
    this.tools = tools;
    this.cells = cells;
    const count = cells.cellStart.length - 1;
    this.cellKey = tools.floats(count);
    this.cellOrder = tools.integers(count);
    this.maxVisitedMembers = maxVisited(cells.cellStart);
    // Twice the limit, because the last visited cell can exceed the limit.
    this.key = tools.floats(2 * comparedItems);
    this.found = tools.integers(2 * comparedItems);
  }

  /**
   * Writes up to `limit` items nearest to the first row of `query` (an embedding) to `out`.
   * @returns number of items written
   */
  search(query: QuantisedRows, limit: number, out: Int32Array): number {
    const { tools, cells, cellKey, cellOrder, key, found } = this;
    const { cellStart, centroids, items, units } = cells;
    for (let cell = 0; cell < cellKey.length; cell++) cellOrder[cell] = cell;
    if (cellKey.length > 1) {
      tools.dot(query, centroids, 0, cellKey.length, [cellKey]);
      tools.selectLargest(cellKey, cellOrder, cellKey.length, this.maxVisitedMembers);
      tools.sortLargestFirst(cellKey, cellOrder, this.maxVisitedMembers);
    }
    let count = 0;
    for (let visited = 0; visited < this.maxVisitedMembers && count < comparedItems; visited++) {
      const start = cellStart[cellOrder[visited] as number] as number;
      const end = cellStart[(cellOrder[visited] as number) + 1] as number;
      const size = Math.min(end - start, 2 * comparedItems - count);
      if (size === 0) continue;
      tools.dot(query, units, start, size, [key.subarray(count, count + size)]);
      found.set(items.subarray(start, start + size), count);
      count += size;
    }
    const kept = Math.min(count, limit);
    tools.selectLargest(key, found, count, kept);
    out.set(found.subarray(0, kept));
    return kept;
  }
}

/** Number of cells that hold at least `comparedItems` items even if the cells are the smallest ones. */
function maxVisited(cellStart: Int32Array): number {
  const sizes = Int32Array.from({ length: cellStart.length - 1 }, (_, cell) => (cellStart[cell + 1] as number) - (cellStart[cell] as number)).sort();
  let items = 0;
  let cells = 0;
  while (cells < sizes.length && items < comparedItems) items += sizes[cells++] as number;
  return cells;
}
