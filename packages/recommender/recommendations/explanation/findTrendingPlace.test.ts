import { expect, it } from 'vitest';
import { createRandom } from '../../engine/linear/random.ts';
import { Recommender } from '../../engine/query/recommender.ts';
import { randomModel } from '../../testing/randomModel.ts';
import { withModel } from '../../testing/withModel.ts';
import { rankList, type AnswerOptions } from '../steering/rankList.ts';
import { Steering } from '../steering/steering.ts';
import { findTrendingPlace } from './findTrendingPlace.ts';

const filters = [undefined, 'item.price < 60', 'item.price >= 60 && item.price != 71'];
const boosts = [undefined, 'item.price % 7 == 0 ? 3.0 : 0.8', 'item.price > 50 ? 900.0 : 1.0'];

it('finds the place of an item in the shortest list of trending items that has it, with and without filter, boost and threshold, for one and for all types', async () => {
  const ids = Array.from({ length: 9_000 }, (_, at) => `item ${at}`);
  const model = randomModel({ ids, types: 3, itemShare: 1, attributes: 0, rank: 0, seed: 8 });
  model.nodes.metadata = ids.map((_, at) => JSON.stringify({ price: at % 97 }));
  // Few different trends, so that many items have equal scores.
  model.trend = Float32Array.from(ids, (_, at) => 1 / (1 + ((at * 7_919) % 400)));
  await withModel(model, async (reader) => {
    const recommender = new Recommender(reader);
    const random = createRandom(3);
    const pick = <Value>(values: readonly Value[]): Value => values[random.below(values.length)] as Value;
    const kinds = { missing: 0, within: 0, beyond: 0, farBoosted: 0 };
    for (let round = 0; round < 150; round += 1) {
      const [filter, boost] = [pick(filters), pick(boosts)];
      const perType = random.below(2) === 0;
      const types = new Uint8Array(4).fill(1);
      if (random.below(3) === 0) types[random.below(4)] = 0;
      const steering = filter === undefined && boost === undefined ? null : new Steering(reader, { filter, boost });
      const [limit, threshold] = [pick([1, 10, 100, 1_500, 20_000]), pick([0, 0, 0.01, 0.2])];
      const item = random.below(reader.facts.items);
      types[reader.typeOfItem(item) + 1] = 1;
      const list = (length: number): { item: number; score: number }[] => {
        const options: AnswerOptions = { types, limit: length, threshold, offset: 0, steering };
        const ranking = rankList(recommender, perType ? null : 'a stranger', options);
        return Array.from({ length: ranking.count }, (_, at) => ({ item: ranking.item[at] ?? -1, score: ranking.score[at] ?? 0 }));
      };
      steering?.begin(-1);
      let rests = 0;
      const rest = async (): Promise<void> => {
        rests += 1;
        // Another query uses the recommender meanwhile.
        recommender.trending({ types: null, limit: 3, threshold: 0 });
      };
      const place = await findTrendingPlace(recommender, { types, history: null, threshold, limit, steering, perType, rest }, item);
      if (place === 'trending') {
        expect(list(ids.length).some((entry) => entry.item === item)).toBe(false);
        kinds.missing += 1;
        continue;
      }
      const found = list(place.limit);
      expect(found[place.rank - 1]).toEqual({ item, score: place.score });
      kinds[place.limit > limit ? 'beyond' : 'within'] += 1;
      if (place.limit === limit) continue;
      expect(list(place.limit - 1).some((entry) => entry.item === item)).toBe(false);
      expect(place.limit).toBeGreaterThan(limit);
      if (boost !== undefined && place.limit > 1_000) kinds.farBoosted += 1;
      if (!perType && place.limit > 4_096) expect(rests).toBeGreaterThan(0);
    }
    expect(Object.entries(kinds).filter(([, count]) => count <= 5)).toEqual([]);
  });
});
