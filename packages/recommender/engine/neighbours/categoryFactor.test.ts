import { expect, test } from 'vitest';
import { defaultSetting } from '../data/defaultSetting.ts';
import { trainingData, type EntityRow } from '../../testing/testData.ts';
import { train } from '../../testing/train.ts';
import { CategoryFactor } from './categoryFactor.ts';

const options = { setting: defaultSetting, seed: 1 };

/** Related list of film 1. Films 1 to 4 have the same audience, so only their genres distinguish them. */
function listOfFirst(genres: readonly string[]): string[] {
  const entities = genres.map((genre, at): EntityRow => [`film-${at + 1}`, 'film', '', genre === '' ? undefined : { genre }]);
  const viewers = Array.from({ length: 12 }, (_, at) => `viewer-${at}`);
  const pairs = viewers.flatMap((viewer) => entities.map(([film]): [string, string] => [viewer, film]));
  const model = train(trainingData(entities, pairs), options, () => {});
  const item = model.nodeItem[model.nodes.ids.indexOf('film-1')] as number;
  const own = model.related.index.subarray(model.related.pointer[item], model.related.pointer[item + 1]);
  return Array.from(own, (other) => model.nodes.ids[model.itemNode[other] as number] as string);
}

test('of items that the same people use, those of the same category come first', () => {
  expect(listOfFirst(['western', 'opera', 'opera', 'western'])[0]).toBe('film-4');
});

test('without categories the order is that of the interactions', () => {
  expect(listOfFirst(['', '', '', ''])).toEqual(['film-2', 'film-3', 'film-4']);
});

test('the factor is 1 without a common category and 1.5 with the same ones, whatever words they share', () => {
  // Columns: two categories and a word. Items: item 0 has all three, item 1 the same, item 2 only the word, item 3 nothing.
  const weighted = {
    pointer: Float64Array.of(0, 3, 6, 7, 7),
    index: Int32Array.of(0, 1, 2, 0, 1, 2, 2),
    value: Float32Array.of(0.5, 2, 1, 0.5, 2, 1, 1),
  };
  const factor = new CategoryFactor(weighted, Uint8Array.of(1, 1, 0));
  factor.begin(2);
  factor.begin(0);
  expect([1, 2, 3].map((item) => factor.of(item))).toEqual([expect.closeTo(1.5, 6), 1, 1]);
});
