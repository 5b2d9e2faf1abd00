import { describe, expect, test } from 'vitest';
import { filmData, trainOn } from '../../testing/filmData.ts';
import { withModel } from '../../testing/withModel.ts';
import type { TrainedModel } from '../data/trainedModel.ts';
import { ItemParts } from './itemParts.ts';

describe('the parts of an embedding', () => {
  test('without any of its users, an item is where its content says; without none of them, where it was', async () => {
    const model = trainOn(filmData(60, 80, 5));
    await withModel(model, (reader) => {
      const parts = new ItemParts(reader, 0);
      for (let item = 1; item < 50; item += 7) {
        parts.load(item);
        const users = [...model.audience.index.subarray(model.audience.pointer[item], model.audience.pointer[item + 1])];
        expect(users.length).toBeGreaterThan(2);
        expect(parts.without([]).nearness).toBeCloseTo(parts.nearness(), 6);
        const before = embeddingCosine(model, 0, item);
        expect(parts.nearness()).toBeCloseTo(before, 4);
        expect(parts.without(users).nearness).toBeCloseTo(contentCosine(model, item), 4);
      }
    });
  });

  test('come from the users alone: all but one user leave the direction of that one user', async () => {
    const model = { ...trainOn(filmData(40, 60, 3)), contentWeight: new Float32Array(40) };
    // Without content, the embedding equals E, and E_j is the weighted sum of the vectors of the item's users.
    const { rank, vectors, eigenvalues } = model;
    const embedding = vectors.map((value, at) => value * Math.sqrt(eigenvalues[at % rank] ?? 0));
    await withModel({ ...model, embedding }, (reader) => {
      const parts = new ItemParts(reader, 0);
      const item = 4;
      parts.load(item);
      const users = [...model.audience.index.subarray(model.audience.pointer[item], model.audience.pointer[item + 1])];
      const direction = new Float64Array(rank);
      for (const seen of model.history.index.subarray(model.history.pointer[users[0] ?? 0], model.history.pointer[(users[0] ?? 0) + 1])) {
        const degree = (model.audience.pointer[seen + 1] ?? 0) - (model.audience.pointer[seen] ?? 0);
        for (let k = 0; k < rank; k += 1) {
          const part = (vectors[seen * rank + k] ?? 0) / Math.sqrt(degree * (eigenvalues[k] ?? 1));
          direction[k] = (direction[k] ?? 0) + part;
        }
      }
      expect(parts.without(users.slice(1)).nearness).toBeCloseTo(cosine(parts.source, direction), 1);
    });
  });
});

function embeddingCosine(model: TrainedModel, a: number, b: number): number {
  const row = (item: number) => Float64Array.from(model.embedding.subarray(item * model.rank, (item + 1) * model.rank));
  return cosine(row(a), row(b));
}

function contentCosine(model: TrainedModel, item: number): number {
  const content = new Float64Array(model.rank);
  for (let at = model.attributes.pointer[item] ?? 0; at < (model.attributes.pointer[item + 1] ?? 0); at += 1) {
    const attribute = model.attributes.index[at] ?? 0;
    for (let k = 0; k < model.rank; k += 1) {
      const part = (model.attributes.value[at] ?? 0) * (model.ridge[attribute * model.rank + k] ?? 0);
      content[k] = (content[k] ?? 0) + part;
    }
  }
  return cosine(Float64Array.from(model.embedding.subarray(0, model.rank)), content);
}

function cosine(a: Float64Array, b: Float64Array): number {
  const dot = (x: Float64Array, y: Float64Array) => x.reduce((sum, value, k) => sum + value * (y[k] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
