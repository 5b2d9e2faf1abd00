import { describe, expect, it } from 'vitest';
import { relatedPath } from './load.ts';

describe('the load generator', () => {
  it('quotes identifiers in addresses', () => {
    expect(relatedPath('m', 'a&b,c')).toBe('/v1/recommender/related_items?model_id=m&entity_id=a%26b%2Cc');
  });
});
