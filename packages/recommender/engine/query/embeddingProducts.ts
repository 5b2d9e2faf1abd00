import { Row } from '../modelFile/wordRows.ts';

/** Rows whose products are computed side by side: each addition waits for the one before, so that four sums take hardly longer than one. */
const rows = [new Row(), new Row(), new Row(), new Row()] as const;

/**
 * Returns the products of items' embeddings with a vector. Each sum adds its terms in order, so the result does not depend on the items beside it.
 * @param vector its coordinates beyond the embedding's count 0
 */
export function embeddingProducts(model: { readEmbedding(item: number, row: Row): void }, items: Int32Array, vector: Float64Array): Float64Array {
  const products = new Float64Array(items.length);
  const last = items.length - 1;
  for (let first = 0; first < items.length; first += 4) {
    // Behind the last item, the last item is read again; its further products are outside of the array.
    for (let at = 0; at < 4; at += 1) model.readEmbedding(items[Math.min(first + at, last)] ?? 0, rows[at] as Row);
    addProducts(products, first, vector);
  }
  return products;
}

function addProducts(products: Float64Array, first: number, vector: Float64Array): void {
  const [{ floats: a, start: fromA }, { floats: b, start: fromB }, { floats: c, start: fromC }, { floats: d, start: fromD }] = rows;
  let sumA = 0;
  let sumB = 0;
  let sumC = 0;
  let sumD = 0;
  for (let k = 0; k < vector.length; k += 1) {
    const factor = vector[k] as number;
    sumA += factor * (a[fromA + k] as number);
    sumB += factor * (b[fromB + k] as number);
    sumC += factor * (c[fromC + k] as number);
    sumD += factor * (d[fromD + k] as number);
  }
  products[first] = sumA;
  products[first + 1] = sumB;
  products[first + 2] = sumC;
  products[first + 3] = sumD;
}
