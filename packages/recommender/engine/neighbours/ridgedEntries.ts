import { ridgedLimit } from './operatorLimit.ts';
import type { RowTools } from '../kernels/rowTools.ts';
import type { ItemMatrix } from '../ridge/ridgeMatrix.ts';

/**
 * Adds regression weights to the rows of the operator, and selects what these rows keep: the strongest entries of any sign. Entries below 0 take back what
 * several alike items of a history say more than once.
 */
export class RidgedEntries {
  private readonly tools: Pick<RowTools, 'selectLargest'>;
  private readonly ridge: ItemMatrix;
  /** Keys with their signs, by item. */
  private readonly signed: Float32Array;

  /** @param items number of items of the catalogue */
  constructor(tools: Pick<RowTools, 'selectLargest'>, items: number, ridge: ItemMatrix) {
    this.tools = tools;
    this.ridge = ridge;
    this.signed = new Float32Array(items);
  }

  /** Whether the regression has a row for an item. */
  has(item: number): boolean {
    return (this.ridge.place[item] as number) >= 0;
  }

  /**
   * Adds the weights of an item's row to the keys, and moves the entries with the largest absolute keys to the front of both arrays, unordered.
   * @param item an item for which `has` is true
   * @returns number of entries kept; the others are undefined
   */
  select(item: number, key: Float32Array, index: Int32Array, count: number): number {
    this.add(item, key, index, count);
    if (count <= ridgedLimit) return count;
    const { signed } = this;
    for (let at = 0; at < count; at++) {
      signed[index[at] as number] = key[at] as number;
      key[at] = Math.abs(key[at] as number);
    }
    this.tools.selectLargest(key, index, count, ridgedLimit);
    for (let at = 0; at < ridgedLimit; at++) key[at] = signed[index[at] as number] as number;
    return ridgedLimit;
  }

  private add(item: number, key: Float32Array, index: Int32Array, count: number): void {
    const { place, values, stride } = this.ridge;
    const start = (place[item] as number) * stride;
    for (let at = 0; at < count; at++) {
      const column = place[index[at] as number] as number;
      if (column >= 0) key[at] = (key[at] as number) + (values[start + column] as number);
    }
  }
}
