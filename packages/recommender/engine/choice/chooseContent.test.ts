import { expect, test } from 'vitest';
import { createRandom } from '../linear/random.ts';
import { trainingData, type EntityRow, type PairRow } from '../../testing/testData.ts';
import { defaultSetting } from '../data/defaultSetting.ts';
import type { OperatorSetting } from '../data/trainingData.ts';
import { chooseContent } from './chooseContent.ts';
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

/** The choice among 1,800 users, and on how many each content was measured. @param recallOf recall of a user with a content of 0, or of .111 to 1 for shares of .1 to .5 */
function chooseAmongMany(recallOf: (content: number, user: number) => number): { content: number | undefined; measuredOn: number[] } {
  const users = Int32Array.from({ length: 1800 }, (_, user) => user);
  const measuredOn = new Map<number, number>();
  const trial = {
    contentScale: () => 1,
    measure: (settings: readonly OperatorSetting[], own: Int32Array): Float64Array[] => settings.map(({ content = 0 }) => {
      measuredOn.set(content, (measuredOn.get(content) ?? 0) + own.length);
      return Float64Array.from([...own].flatMap((user) => [recallOf(content, user), 0]));
    }),
  };
  const { content } = chooseContent(trial, { add: () => {} }, defaultSetting, users);
  return { content, measuredOn: [...measuredOn.values()] };
}

test('all users compare none with the two shares that are best on the first users', () => {
  const chance = (user: number): number => (user % 2 === 0 ? 0.5 : -0.5);
  // On the first users, ahead of none by 1.3 standard errors; on all, by more than three.
  const rising = chooseAmongMany((content, user) => (content === 0 ? 0.3 : 0.3 + chance(user) + (user < 1000 ? 0.02 * content : 0.06)));
  expect(rising).toEqual({ content: 1, measuredOn: [1800, 1000, 1000, 1000, 1800, 1800] });
  const falling = chooseAmongMany((content, user) => (content === 0 ? 0.3 : 0.3 + (user < 1000 ? 0.02 : -0.1)));
  expect(falling).toEqual({ content: undefined, measuredOn: [1800, 1800, 1800, 1000, 1000, 1000] });
  expect(chooseAmongMany((content) => 0.3 - 0.01 * content)).toEqual({ content: undefined, measuredOn: [1000, 1000, 1000, 1000, 1000, 1000] });
});
