import { expect, it } from 'vitest';
import { createRandom } from '../../engine/linear/random.ts';
import { checkExplanation, drawQuery } from '../../testing/checkExplanation.ts';
import { withExplainedShop } from '../../testing/explainedShop.ts';
import { explainPair } from './explainPair.ts';

it('states the rank and the score of the served list, or causes without which the served list has the item', async () => {
  const found = new Set<string>();
  await withExplainedShop(200, 100, async (shop) => {
    const random = createRandom(2);
    // tests/scale/explainedPairs.ts checks 10,000 pairs.
    for (let pair = 0; pair < 200; pair += 1) {
      for (const code of await checkExplanation(shop, drawQuery(shop, () => random.uniform()))) found.add(code);
    }
    const [disliking, rejected] = [...shop.disliked].map(([source, targets]) => [source, ...targets] as const)[0] ?? [];
    expect((await explainPair(shop.recommender, { source_id: disliking, target_id: rejected ?? '' }, async () => {})).causes).toMatchObject([{ code: 'disliked' }]);
  });
  expect([...found]).toEqual(expect.arrayContaining([
    'listed', 'below_threshold', 'beyond_limit', 'filtered', 'no_common_users', 'not_an_item', 'seen', 'unavailable', 'unknown_source', 'unknown_target', 'wrong_type',
  ]));
});
