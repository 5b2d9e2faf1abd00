import { expect, test } from 'vitest';
import { createRandom } from '../linear/random.ts';
import { trainingData, type EntityRow, type PairRow } from '../../testing/testData.ts';
import { chooseSetting } from './chooseSetting.ts';

const [items, genres] = [300, 12];

/** Users with five items each of one genre, so few that items seldom share users. @param genreOf genre that the metadata of an item name */
function shop(genreOf: (item: number) => number): ReturnType<typeof trainingData> {
  const random = createRandom(7);
  const entities = Array.from({ length: items }, (_, item): EntityRow => [`item-${item}`, 'item', '', { genre: `genre-${genreOf(item)}` }]);
  const pairs = Array.from({ length: 400 }, (_, user) => {
    const own = new Set<number>();
    while (own.size < 5) own.add(genres * random.below(items / genres) + (user % genres));
    return [...own].map((item): PairRow => [`user-${user}`, `item-${item}`]);
  }).flat();
  return trainingData(entities, pairs);
}

test('metadata count where users choose by them, and not where they say nothing', () => {
  const chosen = (genreOf: (item: number) => number) => chooseSetting(shop(genreOf), 'exponents', 1, () => {})?.chosen;
  expect(chosen((item) => item % genres)?.content).toBeGreaterThan(0);
  expect(chosen((item) => Math.floor((item * genres) / items))?.content).toBeUndefined();
});

test('without metadata, no setting with content is tried', () => {
  const data = shop((item) => item % genres);
  const bare = { ...data, nodes: { ...data.nodes, metadata: data.nodes.ids.map(() => '') } };
  const choice = chooseSetting(bare, 'exponents', 1, () => {});
  expect(choice?.candidates.length).toBeGreaterThan(5);
  expect(choice?.candidates.filter(({ setting }) => setting.content !== undefined)).toEqual([]);
});
