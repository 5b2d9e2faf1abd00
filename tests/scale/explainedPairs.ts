import { createRandom } from '../../packages/recommender/engine/linear/random.ts';
import { checkExplanation, drawQuery } from '../../packages/recommender/testing/checkExplanation.ts';
import { withExplainedShop } from '../../packages/recommender/testing/explainedShop.ts';
import type { HeavyTest } from './heavyTest.ts';

const pairs = 10_000;

/** Explains random pairs with random filters, types, thresholds and limits, and compares each explanation with the served list. */
export const explainedPairs: HeavyTest = {
  name: 'explainedPairs',
  guarantee: `of ${pairs} random pairs, each has its rank in the served list or a true cause of its absence`,
  skip: async () => null,
  run: (print) => withExplainedShop(600, 400, async (shop) => {
    const random = createRandom(1);
    const counts = new Map<string, number>();
    for (let pair = 0; pair < pairs; pair += 1) {
      for (const code of await checkExplanation(shop, drawQuery(shop, () => random.uniform()))) counts.set(code, (counts.get(code) ?? 0) + 1);
    }
    print([...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => `${code} ${count}`).join(', '));
  }),
};
