import { describe, expect, test } from 'vitest';
import { defaultSetting } from '../data/defaultSetting.ts';
import { computeFactors } from '../factors/computeFactors.ts';
import { createRandom } from '../linear/random.ts';
import { pairScore } from '../scores/pairScores.ts';
import { Row } from '../modelFile/wordRows.ts';
import { NewItems } from '../newItems/newItems.ts';
import { withModel } from '../../testing/withModel.ts';
import { trainingData, type EntityRow, type PairRow } from '../../testing/testData.ts';
import { computeNeighbours } from './computeNeighbours.ts';

const [genres, styles, perGenre, users, perUser] = [8, 5, 30, 900, 24];
const items = Array.from({ length: genres * perGenre }, (_, item) => `i${String(item).padStart(3, '0')}`);
const genreOf = (item: number): number => item % genres;
/** What users go by and metadata do not tell. */
const styleOf = (item: number): number => Math.floor(item / genres) % styles;
const entities = items.map((id, item): EntityRow => [id, 'item', '', { genre: `genre ${genreOf(item)}` }]);
const hidden = new Set(items.filter((_, item) => item % 9 === 4));

/** Each user has one genre and one style, and takes items that share one with the user, most often both. */
function drawPairs(): PairRow[] {
  const random = createRandom(17);
  return Array.from({ length: users }, (_, user) => {
    const [genre, style] = [Math.floor(random.uniform() * genres), Math.floor(random.uniform() * styles)];
    const taken = new Set<number>();
    while (taken.size < perUser) {
      const item = Math.floor(random.uniform() * items.length);
      const liking = (genreOf(item) === genre ? 0.3 : 0.05) * (styleOf(item) === style ? 1 : 0.15);
      if (random.uniform() < liking) taken.add(item);
    }
    return [...taken].map((item): PairRow => [`u${user}`, items[item] ?? '']);
  }).flat();
}

const pairs = drawPairs();
const audiences = new Map<string, Set<string>>(items.map((id) => [id, new Set()]));
for (const [user, item] of pairs) audiences.get(item)?.add(user);
const options = { setting: defaultSetting, seed: 1 };
const known = trainingData(entities, pairs.filter(([, item]) => !hidden.has(item)));
const model = computeNeighbours(known, computeFactors(known, options, () => {}), options, () => {});

/** The score of two items by all interactions. */
function trueScore(item: string, other: string): number {
  const [own, others] = [audiences.get(item) ?? new Set<string>(), audiences.get(other) ?? new Set<string>()];
  return pairScore([...own].filter((user) => others.has(user)).length, own.size, others.size, users);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

describe('scores of items without interactions', () => {
  const idOf = (item: number): string => model.nodes.ids[model.itemNode[item] ?? 0] ?? '';
  const { pointer, index, score } = model.related;
  const entriesOf = (item: number): { other: string; score: number }[] =>
    Array.from(index.subarray(pointer[item], pointer[item + 1]), (other, at) => ({ other: idOf(other), score: score[(pointer[item] ?? 0) + at] ?? 0 }));

  const firstEntries = [...model.itemNode.keys()].filter((item) => hidden.has(idOf(item))).flatMap((item) =>
    entriesOf(item).slice(0, 10).map((entry) => ({ listed: entry.score, actual: trueScore(idOf(item), entry.other) })));
  const actual = mean(firstEntries.map((entry) => entry.actual));

  test('are in the mean those that their interactions would give', () => {
    expect(firstEntries.length).toBeGreaterThan(200);
    expect(actual).toBeGreaterThan(0.05);
    expect(Math.abs(mean(firstEntries.map((entry) => entry.listed)) - actual)).toBeLessThan(0.04);
  });

  test('are the same for items that arrive after the training', async () => {
    await withModel(model, (trained) => {
      const arrived = new NewItems(trained, genres);
      const row = new Row();
      const scores = Array.from({ length: genres }, (_, genre) => {
        const item = arrived.add({ id: `new ${genre}`, type: 0, name: '', mediaUrl: '', metadata: JSON.stringify({ genre: `genre ${genre}` }) });
        arrived.model.related.read(item, row);
        return [...row.floats.subarray(row.start + 2 * row.count, row.start + 2 * row.count + 10)];
      }).flat();
      expect(scores).toHaveLength(10 * genres);
      expect(Math.abs(mean(scores) - actual)).toBeLessThan(0.04);
    });
  });
});
