import { beforeAll, describe, expect, test } from 'vitest';
import type { TrainedModel } from '../../engine/data/trainedModel.ts';
import type { Ranking } from '../../engine/query/ranking.ts';
import { Recommender } from '../../engine/query/recommender.ts';
import { filmData, trainOn } from '../../testing/filmData.ts';
import { withModel } from '../../testing/withModel.ts';
import { rankSteered, trendingSteered } from './rankSteered.ts';
import { Steering, type SteeringTexts } from './steering.ts';

const films = 300;
let model: TrainedModel;
beforeAll(() => {
  const data = filmData(films, 80, 7);
  const metadata = data.nodes.ids.map((_, node) =>
    JSON.stringify(node < films ? { genre: `genre ${node % 4}`, price: node % 50, ...(node % 3 === 0 ? { tags: ['new'] } : {}) } : { budget: node % 40 }));
  model = trainOn({ ...data, nodes: { ...data.nodes, metadata }, pairs: { ...data.pairs, time: Float64Array.from(data.pairs.time, (_, at) => 1e12 + at * 1e7) } });
});

const rows = (ranking: Ranking): { item: number; score: number }[] =>
  Array.from({ length: ranking.count }, (_, at) => ({ item: ranking.item[at] ?? -1, score: ranking.score[at] ?? -1 }));

async function withRecommender(use: (recommender: Recommender, steered: (source: number, texts: SteeringTexts, limit: number, offset?: number) => { item: number; score: number }[]) => void): Promise<void> {
  await withModel(model, (reader) => {
    const recommender = new Recommender(reader);
    use(recommender, (source, texts, limit, offset = 0) => {
      const steering = new Steering(reader, texts);
      steering.begin(source);
      return rows(rankSteered(recommender, source, { types: null, limit, threshold: 0, offset }, steering));
    });
  });
}

const priceOf = (item: number): number => item % 50;

describe('a filtered list', () => {
  test('is the whole list without the rejected items, for users and for items', async () => {
    await withRecommender((recommender, steered) => {
      let found = 0;
      for (const source of [0, 17, ...Array.from({ length: 20 }, (_, user) => films + user)]) {
        const whole = rows(recommender.recommend(source, { types: null, limit: films, threshold: 0 }));
        const expected = whole.filter(({ item }) => priceOf(item) < 10 && item % 4 !== 1).map(({ item }) => item);
        const filter = 'item.price < 10 && item.genre != "genre 1"';
        expect(steered(source, { filter }, 20).map(({ item }) => item)).toEqual(expected.slice(0, 20));
        // The second answer uses the remembered tests of items.
        expect(steered(source, { filter }, 20).map(({ item }) => item)).toEqual(expected.slice(0, 20));
        found += expected.length;
      }
      expect(found).toBeGreaterThan(300);
    });
  });

  test('compares with the user that the list is for', async () => {
    await withRecommender((_, steered) => {
      for (const user of [films, films + 7, films + 39]) {
        const listed = steered(user, { filter: 'item.price < user.budget' }, 50);
        expect(listed.length).toBeGreaterThan(0);
        expect(listed.every(({ item }) => priceOf(item) < user % 40)).toBe(true);
      }
    });
  });

  test('with few items that pass has all of them', async () => {
    await withRecommender((recommender, steered) => {
      const whole = rows(recommender.recommend(films + 3, { types: null, limit: films, threshold: 0 }));
      const last = whole.at(-1)?.item ?? -1;
      const id = recommender.model.ids.get(recommender.model.itemNode[last] ?? 0);
      expect(steered(films + 3, { filter: `item.id == ${JSON.stringify(id)}` }, 10).map(({ item }) => item)).toEqual([last]);
      expect(steered(films + 3, { filter: 'item.price > 1000' }, 10)).toEqual([]);
    });
  });
});

describe('an offset', () => {
  test('continues the list, and ranks continue', async () => {
    await withRecommender((recommender, steered) => {
      const whole = steered(films + 5, {}, 60);
      expect([...steered(films + 5, {}, 20), ...steered(films + 5, {}, 20, 20), ...steered(films + 5, {}, 20, 40)].map(({ item }) => item)).toEqual(whole.map(({ item }) => item));
      const ranking = rankSteered(recommender, films + 5, { types: null, limit: 5, threshold: 0, offset: 10 }, new Steering(recommender.model, {}));
      expect(ranking.skipped).toBe(10);
      expect(steered(films + 5, {}, 20, 9999)).toEqual([]);
    });
  });
});

describe('a boost', () => {
  test('multiplies scores and sorts by the products; items without a value keep their score', async () => {
    await withRecommender((recommender, steered) => {
      const whole = rows(recommender.recommend(films + 2, { types: null, limit: films, threshold: 0 }));
      const factor = (item: number): number => (item % 3 === 0 ? 1.5 : 1);
      const expected = whole.map(({ item, score }) => ({ item, score: Math.min(1, score * factor(item)), product: score * factor(item) })).sort((a, b) => b.product - a.product);
      const boosted = steered(films + 2, { boost: '"new" in item.tags ? 1.5 : 1.0' }, films);
      expect(boosted).toEqual(expected.map(({ item, score }) => ({ item, score })));
      expect(boosted.map(({ item }) => item)).not.toEqual(whole.map(({ item }) => item));
      expect(steered(films + 2, { boost: 'item.price / (item.price - item.price)' }, 50)).toEqual(whole.slice(0, 50));
    });
  });
});

describe('trending items', () => {
  test('with a filter are the trending items that pass', async () => {
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      const options = { types: null, limit: films, threshold: 0, offset: 0 };
      const whole = rows(recommender.trending(options)).filter(({ item }) => priceOf(item) < 5).map(({ item }) => item);
      const steering = new Steering(reader, { filter: 'item.price < 5' });
      steering.begin(-1);
      expect(whole.length).toBeGreaterThan(10);
      expect(rows(trendingSteered(recommender, { ...options, limit: 10 }, steering)).map(({ item }) => item)).toEqual(whole.slice(0, 10));
    });
  });
});

describe('an expression', () => {
  test('that cannot be used is a problem that names the place', async () => {
    await withModel(model, (reader) => {
      expect(() => new Steering(reader, { filter: 'item.prise < 3' })).toThrow(
        'filter cannot be used: at character 1, the model has no column "item.prise". The nearest column is item.price.',
      );
      expect(() => new Steering(reader, { boost: '2 * item.genre' })).toThrow('boost cannot be used: at character 1, the operator * does not take `2`, a number, on its left and `item.genre`, a string, on its right.');
    });
  });

  test('that is tested on too many items is refused', async () => {
    await withModel(model, (reader) => {
      const steering = new Steering(reader, { filter: 'item.price > user.budget && user.budget < -1' });
      steering.begin(films);
      const testAll = (): void => { for (let test = 0; test < 2_000_000; test += 1) steering.accepts(test % films); };
      expect(testAll).toThrow('items and too few of the items passed');
      steering.begin(films);
      expect(steering.accepts(0)).toBe(false);
    });
  });
});
