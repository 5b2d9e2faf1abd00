import type { ModelReader } from '../modelFile/openModel.ts';
import type { Row } from '../modelFile/wordRows.ts';

/**
 * Adds the embedding that the model predicts from attributes: their weights times the ridge map.
 * @param sum predicted directions; its length is their number
 * @param row scratch
 */
export function addPrediction(
  sum: Float64Array, model: Pick<ModelReader, 'readRidge'>, { columns, weights }: { columns: Int32Array; weights: Float32Array | Float64Array }, row: Row,
): void {
  for (let at = 0; at < columns.length; at += 1) {
    model.readRidge(columns[at] ?? 0, row);
    const weight = weights[at] ?? 0;
    for (let k = 0; k < sum.length; k += 1) sum[k] = (sum[k] ?? 0) + weight * (row.floats[row.start + k] ?? 0);
  }
}
