import { expect, it } from 'vitest';
import { createRandom } from '../linear/random.ts';
import { filmData, trainOn } from '../../testing/filmData.ts';
import { withModel } from '../../testing/withModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { embeddingProducts } from './embeddingProducts.ts';

it('multiplies each embedding as if it were alone, whether the model is in memory or in the file', async () => {
  const model = trainOn(filmData(40, 60, 1));
  const random = createRandom(5);
  for (const memoryBytes of [undefined, 0]) {
    await withModel(model, (reader) => {
      const vector = Float64Array.from({ length: reader.facts.rank - 2 }, () => random.uniform() - 0.5);
      const alone = (item: number): number => {
        const row = new Row();
        reader.readEmbedding(item, row);
        return vector.reduce((sum, factor, k) => sum + factor * (row.floats[row.start + k] ?? 0), 0);
      };
      expect(vector.length).toBeGreaterThan(5);
      for (let count = 0; count < 10; count += 1) {
        const items = Int32Array.from({ length: count }, () => random.below(40));
        expect(embeddingProducts(reader, items, vector)).toEqual(Float64Array.from(items, alone));
      }
    }, memoryBytes);
  }
});
