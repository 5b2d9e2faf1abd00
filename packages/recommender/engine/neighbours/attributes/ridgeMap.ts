import { conjugateGradients } from '../../linear/conjugateGradients.ts';
import type { WeightedRows } from '../../data/trainedModel.ts';

const ridge = 30;

/** Numbers of attributes, of predicted directions, and of all directions of an embedding. */
export interface MapShape {
  columns: number;
  width: number;
  rank: number;
}

/**
 * Computes `W = (Bw^T Bw + 30 I)^-1 Bw^T E` over the selected items, attributes × width.
 * @param weighted Bw, items × attributes
 * @param embedding E, items × rank
 * @param tolerance relative residual of each direction; 1e-7 if omitted
 */
export function ridgeMap(
  weighted: WeightedRows, embedding: Float32Array, { columns, width, rank }: MapShape, selects: (item: number) => boolean, report: (fraction: number) => void,
  tolerance?: number,
): Float64Array {
  const known = selectedRows(weighted, selects);
  const right = new Float64Array(columns * width);
  for (let item = 0; item + 1 < known.pointer.length; item++) {
    const end = known.pointer[item + 1] as number;
    for (let entry = known.pointer[item] as number; entry < end; entry++) {
      const base = (known.index[entry] as number) * width;
      const weight = known.value[entry] as number;
      for (let k = 0; k < width; k++) {
        right[base + k] = (right[base + k] as number) + weight * (embedding[item * rank + k] as number);
      }
    }
  }
  return conjugateGradients(known, columns, ridge, right, width, report, tolerance);
}

/** The same matrix with empty rows for the other items. */
function selectedRows(weighted: WeightedRows, selects: (item: number) => boolean): WeightedRows {
  const pointer = new Float64Array(weighted.pointer.length);
  const index = new Int32Array(weighted.index.length);
  const value = new Float32Array(weighted.index.length);
  let count = 0;
  for (let item = 0; item + 1 < pointer.length; item++) {
    const end = weighted.pointer[item + 1] as number;
    const start = selects(item) ? (weighted.pointer[item] as number) : end;
    for (let entry = start; entry < end; entry++, count++) {
      index[count] = weighted.index[entry] as number;
      value[count] = weighted.value[entry] as number;
    }
    pointer[item + 1] = count;
  }
  return { pointer, index: index.subarray(0, count), value: value.subarray(0, count) };
}

/**
 * Writes the content embedding of an item to `content`.
 * @returns length of the content embedding
 */
export function predict(weighted: WeightedRows, item: number, map: Float64Array, width: number, content: Float64Array): number {
  content.fill(0);
  const end = weighted.pointer[item + 1] as number;
  for (let entry = weighted.pointer[item] as number; entry < end; entry++) {
    const base = (weighted.index[entry] as number) * width;
    const weight = weighted.value[entry] as number;
    for (let k = 0; k < width; k++) content[k] = (content[k] as number) + weight * (map[base + k] as number);
  }
  let squares = 0;
  for (let k = 0; k < width; k++) squares += (content[k] as number) ** 2;
  return Math.sqrt(squares);
}
