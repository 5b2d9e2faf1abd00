import { describe, expect, test } from 'vitest';
import { defaultSetting } from '../data/defaultSetting.ts';
import { filmData, trainOn } from '../../testing/filmData.ts';
import { train } from '../../testing/train.ts';
import { Row } from '../modelFile/wordRows.ts';
import { withHistory } from './givenHistory.ts';
import { Recommender } from './recommender.ts';
import { storedHistory } from './sessionHistory.ts';
import { withModel } from '../../testing/withModel.ts';
import { createRandom } from '../linear/random.ts';
import { trainingData, type EntityRow, type PairRow } from '../../testing/testData.ts';
import type { TrainedModel } from '../data/trainedModel.ts';
import type { TrainingData } from '../data/trainingData.ts';

const everything = { types: null, limit: 10_000, threshold: 0 };
const films = 60;
const untouched = (item: number) => item >= films - 10;

/** The model with rows that speak against films of other genres, as a ridge regression can. */
function withAversion(model: TrainedModel): TrainedModel {
  const { pointer, index, score } = model.operator;
  const value = model.operator.value.slice();
  for (let item = 0; item < films; item += 1) {
    for (let at = pointer[item] ?? 0; at < (pointer[item + 1] ?? 0); at += 1) if ((index[at] ?? 0) % 4 !== item % 4) value[at] = -(value[at] ?? 0);
  }
  return { ...model, operator: { pointer, index, score, value } };
}

/** Items of eight genres, in each genre as popular as 1/(1 + rank) and the last five without users; each user has some six items of two genres. */
function popularityData(): TrainingData {
  const random = createRandom(11);
  const [genres, perGenre, unseen] = [8, 40, 5];
  const idOf = (genre: number, rank: number): string => `i${genre}-${rank}`;
  const entities = Array.from({ length: genres * perGenre }, (_, item): EntityRow => {
    const [genre, rank] = [item % genres, Math.floor(item / genres)];
    return [idOf(genre, rank), 'item', '', { genre: `genre ${genre}` }];
  });
  const pairs = Array.from({ length: 400 }, (_, user) => [...new Set(Array.from({ length: 8 }, () => {
    const rank = Math.floor(Math.exp(random.uniform() * Math.log(perGenre - unseen + 1))) - 1;
    return idOf((user + (random.uniform() < 0.7 ? 0 : 3)) % genres, rank);
  }))].map((item): PairRow => [`u${user}`, item]));
  return trainingData(entities, pairs.flat());
}

describe('items that nobody touched', () => {
  test.each(['above', 'below'])('reach users by their content: most often those of the genre the user prefers, among warm items, where most sums are %s 0', async (side) => {
    const data = filmData(films, 80, 5);
    const trained = trainOn(data);
    const model = side === 'above' ? trained : withAversion(trained);
    let offered = 0;
    let preferred = 0;
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      for (let user = 0; user < 80; user += 1) {
        const ranking = recommender.recommend(films + user, everything);
        const items = [...ranking.item.subarray(0, ranking.count)];
        const [first] = items.filter(untouched);
        if (first === undefined) continue;
        offered += 1;
        if (first % 4 === user % 4) preferred += 1;
        expect(items.some((item) => !untouched(item))).toBe(true);
      }
    });
    expect(offered).toBeGreaterThan(70);
    // A random choice would prefer a quarter.
    expect(preferred / offered).toBeGreaterThan(0.8);
  });

  test('do not crowd others out: of the first ten items, no user gets more than four of them, also with all pairs', async () => {
    for (const setting of [defaultSetting, { ...defaultSetting, pb: -0.5, T: 3, b: 0, allPairs: true }]) {
      await withModel(train(filmData(films, 80, 5), { setting, seed: 1 }, () => undefined), (reader) => {
        const recommender = new Recommender(reader);
        const untouchedOf = Array.from({ length: 80 }, (_, user) => {
          const ranking = recommender.recommend(films + user, { ...everything, limit: 10 });
          return [...ranking.item.subarray(0, ranking.count)].filter(untouched).length;
        });
        // Two or three of the ten have the genre that the user prefers.
        expect(Math.max(...untouchedOf)).toBeLessThanOrEqual(4);
        expect(untouchedOf.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(80);
      });
    }
  });

  test('take few places among the first ten where the items with the fewest users take few, although popular items have large sums', async () => {
    await withModel(train(popularityData(), { setting: { ...defaultSetting, pa: -0.35, pb: -0.05, T: 0, b: 4, allPairs: true }, seed: 1 }, () => undefined), (reader) => {
      const recommender = new Recommender(reader);
      const counts = { none: 0, few: 0 };
      for (let user = 0; user < 400; user += 1) {
        const ranking = recommender.recommend(reader.findNode(`u${user}`), { ...everything, limit: 10 });
        for (const item of ranking.item.subarray(0, ranking.count)) {
          const users = reader.degree[item] ?? 0;
          if (users === 0) counts.none += 1;
          else if (users <= 3) counts.few += 1;
        }
      }
      expect(counts.few).toBeGreaterThan(0);
      expect(counts.none).toBeGreaterThan(0);
      expect(counts.none).toBeLessThanOrEqual(counts.few);
    });
  });

  test('are listed no more often than items with a single user, where a history leads to few of these', async () => {
    const random = createRandom(4);
    const [genres, perGenre, users] = [25, 60, 1500];
    const idOf = (genre: number, rank: number): string => `i${genre}-${rank}`;
    const entities = Array.from({ length: genres * perGenre }, (_, item): EntityRow => [idOf(item % genres, Math.floor(item / genres)), 'item', '', { genre: `genre ${item % genres}` }]);
    const pairs = Array.from({ length: users }, (_, user) => [...new Set(Array.from({ length: 4 }, () =>
      idOf(user % genres, Math.floor(Math.exp(random.uniform() * Math.log(perGenre))) - 1)))].map((item): PairRow => [`u${user}`, item]));
    await withModel(train(trainingData(entities, pairs.flat()), { setting: defaultSetting, seed: 1 }, () => undefined), (reader) => {
      const recommender = new Recommender(reader);
      const items = [0, 0];
      const entriesOf = [0, 0];
      for (const degree of reader.degree) if (degree < 2) items[degree] = (items[degree] ?? 0) + 1;
      for (let user = 0; user < users; user += 1) {
        const ranking = recommender.recommend(reader.findNode(`u${user}`), { ...everything, limit: 20 });
        for (const item of ranking.item.subarray(0, ranking.count)) {
          const degree = reader.degree[item] ?? 0;
          if (degree < 2) entriesOf[degree] = (entriesOf[degree] ?? 0) + 1;
        }
      }
      const [none = 0, single = 0] = entriesOf.map((count, degree) => count / (items[degree] ?? 1));
      expect(single).toBeGreaterThan(0);
      expect(none).toBeLessThanOrEqual(single);
    });
  });

  test('are ranked for a session as for a user with the same history', async () => {
    await withModel(trainOn(filmData(films, 80, 5)), (reader) => {
      const { rank, users } = reader.facts;
      const [stored, computed] = [new Row(), new Row()];
      for (let user = 0; user < users; user += 1) {
        reader.readUserFactor(user, stored);
        withHistory(reader, storedHistory(reader, user)).readUserFactor(0, computed);
        const vectorOf = ({ floats, start }: Row): Float32Array => floats.slice(start, start + rank);
        const [wanted, found] = [vectorOf(stored), vectorOf(computed)];
        expect(Math.hypot(...found.map((value, k) => value - (wanted[k] ?? 0)))).toBeLessThan(1e-6 * Math.hypot(...wanted));
      }
    });
  });

  test('do not change the order of the warm items', async () => {
    const data = filmData(films, 80, 5);
    const model = trainOn(data);
    const warm = { ...model, rank: 0, embedding: new Float32Array(0), ridge: new Float32Array(0) };
    const without = { ...warm, vectors: new Float32Array(0), eigenvalues: new Float64Array(0) };
    const listsOf = (trained: typeof model) =>
      withModel(trained, (reader) => {
        const recommender = new Recommender(reader);
        return Array.from({ length: 80 }, (_, user) => {
          const ranking = recommender.recommend(films + user, everything);
          return [...ranking.item.subarray(0, ranking.count)].filter((item) => !untouched(item));
        });
      });
    expect(await listsOf(model)).toEqual(await listsOf(without));
  });
});
