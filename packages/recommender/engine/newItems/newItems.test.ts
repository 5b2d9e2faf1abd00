import { beforeAll, describe, expect, it } from 'vitest';
import { filmData, trainOn } from '../../testing/filmData.ts';
import { withModel } from '../../testing/withModel.ts';
import type { TrainedModel } from '../data/trainedModel.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { embeddingProduct, userDirection } from '../query/coldItems.ts';
import { Recommender } from '../query/recommender.ts';
import { NewItems } from './newItems.ts';

const [films, users] = [120, 60];
let model: TrainedModel;
beforeAll(() => {
  const data = filmData(films, users, 7);
  // Two types of targets, so that related items have two groups.
  const type = data.nodes.type.map((each, node) => (each === 0 && node % 5 === 0 ? 1 : each));
  model = trainOn({ ...data, types: ['film', 'clip'], nodes: { ...data.nodes, type } });
});

interface Entry { item: number; value: number; score: number }

function related(reader: ModelReader, item: number): Entry[] {
  const row = new Row();
  reader.related.read(item, row);
  const { ints, floats, start, count } = row;
  return Array.from({ length: count }, (_, at) => ({ item: ints[start + at] ?? -1, value: floats[start + count + at] ?? 0, score: floats[start + 2 * count + at] ?? 0 }));
}

async function withItems(use: (items: NewItems, trained: ModelReader, add: (number: number) => number) => void): Promise<void> {
  await withModel(model, (trained) => {
    const items = new NewItems(trained, 100);
    const add = (number: number): number => items.add({ id: `sent ${number}`, type: number % 3 === 0 ? 1 : 0, name: '', mediaUrl: '', metadata: JSON.stringify({ genre: `genre ${number % 4}`, shelf: `${number % 3}` }) });
    use(items, trained, add);
  });
}

describe('the related items of a film', () => {
  it('are those of the file with the added ones by value within their types, after each added item anew', () => withItems((items, trained, add) => {
    for (let number = 0; number < 24; number += 1) {
      const item = add(number);
      expect(item).toBe(films + number);
      if (number % 6 > 1) continue;
      let listing = 0;
      for (let film = 0; film < films; film += 3) {
        const additions = items.additionsTo(film);
        const before = related(trained, film);
        // Read twice: the second time, the row is in memory.
        const merged = related(items.model, film);
        expect(related(items.model, film)).toEqual(merged);
        expect(merged.filter((each) => each.item < films)).toEqual(before);
        expect(merged.filter((each) => each.item >= films).map((each) => each.item).toSorted((a, b) => a - b)).toEqual(additions.map((each) => each.item).toSorted((a, b) => a - b));
        for (const type of [0, 1]) {
          const group = merged.filter((each) => items.model.typeOfItem(each.item) === type);
          expect(group.map(({ value }) => value)).toEqual(group.map(({ value }) => value).toSorted((a, b) => b - a));
          expect(group.map(({ score }) => score)).toEqual(group.map(({ score }) => score).toSorted((a, b) => b - a));
        }
        const order = merged.map((each) => items.model.typeOfItem(each.item));
        expect(order.filter((type, at) => type !== order[at - 1]).length).toBeLessThanOrEqual(2);
        if (additions.some((each) => each.item === item)) listing += 1;
      }
      expect(listing).toBeGreaterThan(5);
    }
  }));
});

describe('the stored list of a user', () => {
  const options = (limit: number) => ({ types: null, limit, threshold: 0 });

  it('has the added items with the largest sums, each behind the items of its type with larger products', () => withItems((items, trained, add) => {
    const recommender = new Recommender(items.model);
    const alone = new Recommender(trained);
    let placed = 0;
    for (let number = 0; number < 60; number += 1) {
      add(number);
      if (number % 20 !== 19) continue;
      for (let user = 0; user < users; user += 1) {
        const node = trained.findNode(`user ${String(user).padStart(3, '0')}`);
        const listOf = (of: Recommender, limit: number): number[] => { const { item, count } = of.recommend(node, options(limit)); return [...item.subarray(0, count)]; };
        const expected = expectedList(items, trained, node, listOf(alone, 100)).slice(0, 100);
        // The second and the third time, the list is in memory.
        for (const limit of [100, 100, 9]) expect(listOf(recommender, limit)).toEqual(expected.slice(0, limit));
        placed += expected.filter((item) => item >= films).length;
      }
    }
    expect(placed).toBeGreaterThan(users);
  }));

  it('has as many items as the request wants, also if no added item belongs to the list', () => withItems((items, trained, add) => {
    add(1);
    const recommender = new Recommender(items.model);
    let without = 0;
    for (let user = 0; user < users; user += 1) {
      const ranking = recommender.recommend(trained.findNode(`user ${String(user).padStart(3, '0')}`), options(7));
      expect(ranking.count).toBe(7);
      if (ranking.item.subarray(0, 7).every((item) => item < films)) without += 1;
    }
    expect(without).toBeGreaterThan(5);
  }));
});

/** The list as its description says, item by item. */
function expectedList(items: NewItems, trained: ModelReader, node: number, before: readonly number[]): number[] {
  const user = trained.nodeUser[node] ?? -1;
  const history = new Row();
  trained.history.read(user, history);
  const sums = new Map<number, number>();
  for (const film of history.ints.subarray(history.start, history.start + history.count)) {
    for (const { item, score } of items.additionsTo(film)) sums.set(item, (sums.get(item) ?? 0) + score);
  }
  const direction = userDirection(trained, user);
  const product = (item: number): number => embeddingProduct(items.model, item, direction, new Row());
  const largest = [...sums].sort(([a, sumA], [b, sumB]) => sumB - sumA || a - b).slice(0, 32).map(([item]) => item).filter((item) => product(item) > 0);
  const places = largest.map((item) => {
    const type = items.model.typeOfItem(item);
    const larger = before.filter((each) => items.model.typeOfItem(each) === type && product(each) >= product(item)).length;
    let seen = 0;
    const place = larger === 0 ? 0 : before.findIndex((each) => { if (items.model.typeOfItem(each) === type) seen += 1; return seen === larger; }) + 1;
    return { item, place };
  }).sort((a, b) => a.place - b.place || product(b.item) - product(a.item) || a.item - b.item);
  const list = [...before];
  places.forEach(({ item, place }, at) => list.splice(place + at, 0, item));
  return list;
}
