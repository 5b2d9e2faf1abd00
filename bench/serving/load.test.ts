import { describe, expect, it } from 'vitest';
import { correctOmission, relatedPath } from './load.ts';

describe('the load generator', () => {
  it('counts the requests that a slow answer held up', () => {
    expect(correctOmission([5, 50], 20)).toEqual([5, 50, 30, 10]);
    expect(correctOmission([20], 20)).toEqual([20]);
  });

  it('quotes identifiers in addresses', () => {
    expect(relatedPath('m', 'a&b,c')).toBe('/v1/recommender/related_items?model_id=m&entity_id=a%26b%2Cc');
  });
});
