import { describe, expect, test } from 'vitest';
import { readAttributes } from './readAttributes.ts';
import { numberItems } from '../../catalogue/numberItems.ts';
import { factorise } from '../../factors/factorise.ts';
import { buildHistory } from '../../matrix/buildHistory.ts';
import { toInteractions } from '../../matrix/interactions.ts';
import { trainingData, twoBlocks } from '../../../testing/testData.ts';
import { attributeLift } from './attributeLift.ts';
import { embedItems } from './embedItems.ts';
import type { EntityRow, PairRow } from '../../../testing/testData.ts';

function prepare(entities: readonly EntityRow[], pairs: readonly PairRow[]) {
  const data = trainingData(entities, pairs);
  const catalogue = numberItems(data);
  const interactions = toInteractions(buildHistory(data, catalogue), catalogue.itemNode.length);
  return { data, interactions, attributes: readAttributes(data.nodes, catalogue.itemNode) };
}

describe('attributeLift', () => {
  test('is the coherence of the items over that of all items, computed by hand', () => {
    // User u has items a and b, user v has c and d: x_a . x_b = 1/2 = x_c . x_d; all other products are 0.
    const entities: EntityRow[] = [
      ['a', 'film', '', { genre: 'crime', color: 'red' }],
      ['b', 'film', '', { genre: 'crime', color: 'blue' }],
      ['c', 'film', '', { color: 'red' }],
      ['d', 'film', '', { color: 'blue' }],
    ];
    const { attributes, interactions } = prepare(entities, [['u', 'a'], ['u', 'b'], ['v', 'c'], ['v', 'd']]);
    const lift = attributeLift(attributes, interactions);
    // All items: 4 of 12 ordered pairs have 1/2, so the mean is 1/6. Crime: its only pair has 1/2, which is also the mean of
    // the field.
    expect(lift[attributes.text.indexOf('crime')]).toBeCloseTo(0.5 / (1 / 6) - 1, 10);
    // No pair of items with the same colour shares a user. The coherence is below the mean of all items, so the lift is 0.
    expect(lift[attributes.text.indexOf('red')]).toBe(0);
  });

  test('shrinks an attribute with few pairs to the mean of its field', () => {
    const { entities, pairs } = twoBlocks();
    const extended: EntityRow[] = entities.map(([id, type, name, metadata], n) =>
      [id, type, name, { ...(metadata as object), tag: n === 0 || n === 6 ? 'odd' : 'even' }]);
    const { attributes, interactions } = prepare(extended, pairs);
    const lift = attributeLift(attributes, interactions);
    expect(lift[attributes.text.indexOf('crime')]).toBeGreaterThan(0.5);
    // The two odd films are in different blocks, so their lift would be 0 without shrinkage too.
    expect(lift[attributes.text.indexOf('odd')]).toBeLessThan(0.1);
  });
});

describe('embedItems', () => {
  const { entities, pairs } = twoBlocks();
  const prepared = prepare([...entities, ['new', 'film', '', { genre: 'crime' }], ['bare', 'film']], pairs);
  const factors = factorise(prepared.interactions, -0.5, 1, () => {});
  const lift = attributeLift(prepared.attributes, prepared.interactions);
  const embedded = embedItems(prepared.attributes, lift, factors, prepared.interactions, () => {});
  const { contentWeight, ridge } = embedded;
  const embedding = embedded.embedding ?? new Float32Array(0);
  const items = ['bare', ...entities.map(([id]) => id), 'new'].sort();

  function cosine(a: string, b: string): number {
    const row = (id: string): Float32Array =>
      embedding.subarray(items.indexOf(id) * factors.rank, (items.indexOf(id) + 1) * factors.rank);
    const dot = (x: Float32Array, y: Float32Array): number =>
      x.reduce((sum, value, k) => sum + value * (y[k] as number), 0);
    return dot(row(a), row(b)) / Math.sqrt(dot(row(a), row(a)) * dot(row(b), row(b)));
  }

  test('points a new item where the items with its attributes point', () => {
    expect(cosine('new', 'crime-3')).toBeGreaterThan(0.7);
    expect(cosine('new', 'crime-3')).toBeGreaterThan(cosine('new', 'romance-3') + 0.3);
  });

  test('weighs content by 6/(n+6), wholly without interactions and not at all without attributes', () => {
    const degree = prepared.interactions.itemDegree[items.indexOf('crime-3')] as number;
    expect(contentWeight[items.indexOf('crime-3')]).toBeCloseTo(6 / (degree + 6), 6);
    expect(contentWeight[items.indexOf('new')]).toBe(1);
    expect(contentWeight[items.indexOf('bare')]).toBe(0);
  });

  test('keeps a map that predicts the embedding of a new item from its attributes', () => {
    const column = prepared.attributes.text.indexOf('crime');
    const weight = Math.sqrt((lift[column] as number) + 0.05);
    const row = items.indexOf('new') * factors.rank;
    for (let k = 0; k < factors.rank; k++) {
      expect(embedding[row + k]).toBeCloseTo(weight * (ridge[column * factors.rank + k] as number), 5);
    }
  });
});
