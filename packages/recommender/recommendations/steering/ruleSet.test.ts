import { beforeAll, expect, it } from 'vitest';
import type { TrainedModel } from '../../engine/data/trainedModel.ts';
import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import { NewItems } from '../../engine/newItems/newItems.ts';
import { Recommender } from '../../engine/query/recommender.ts';
import { filmData, trainOn } from '../../testing/filmData.ts';
import { withModel } from '../../testing/withModel.ts';
import { rankList } from './rankList.ts';
import { compileRules, ruleSetOf, type RuleSet, type RuleTexts } from './ruleSet.ts';
import { Steering } from './steering.ts';

const films = 200;
let model: TrainedModel;
beforeAll(() => {
  const data = filmData(films, 80, 7);
  const metadata = data.nodes.ids.map((_, node) => JSON.stringify(node < films ? { genre: `genre ${node % 4}`, price: node % 50 } : { budget: node % 40 }));
  model = trainOn({ ...data, nodes: { ...data.nodes, metadata } });
});

const rule = (name: string, texts: Partial<RuleTexts>): RuleTexts => ({ name, filter: null, boost: null, ...texts });

function itemsOf(reader: ModelReader, source: number, rules: RuleSet | null): number[] {
  const options = { types: null, limit: 60, threshold: 0, offset: 0, steering: new Steering(reader, {}, rules) };
  const ranking = rankList(new Recommender(reader), source, options);
  return [...ranking.item.subarray(0, ranking.count)];
}

it('keeps the items that pass all filters, whether or not they depend on the user, for every user', () => withModel(model, (reader) => {
  const rules = compileRules(reader, [rule('genre', { filter: 'item.genre != "genre 1"' }), rule('budget', { filter: 'item.price < user.budget' }), rule('price', { filter: 'item.price > 2' })]);
  for (const user of [films + 5, films + 31, films + 12, films + 5]) {
    const expected = itemsOf(reader, user, null).filter((item) => item % 4 !== 1 && item % 50 < user % 40 && item % 50 > 2);
    expect(itemsOf(reader, user, rules).slice(0, expected.length)).toEqual(expected);
    expect(itemsOf(reader, user, rules).every((item) => item % 4 !== 1 && item % 50 < user % 40 && item % 50 > 2)).toBe(true);
  }
}));

it('ends a list that takes too much work, says so, and goes on from there with what does not depend on the user', () => withModel(model, (reader) => {
  const texts = [rule('few', { filter: 'item.price > 40 && item.genre == "genre 3"' })];
  const user = films + 3;
  const whole = itemsOf(reader, user, compileRules(reader, texts));
  const limited = compileRules(reader, texts, 30);
  const first = itemsOf(reader, user, limited);
  expect(first.length).toBeLessThan(whole.length);
  expect(first).toEqual(whole.slice(0, first.length));
  expect(limited.isTooExpensive).toBe(true);
  for (let list = 0; list < 100; list += 1) itemsOf(reader, user, limited);
  expect(itemsOf(reader, user, limited)).toEqual(whole);
  const ofUser = compileRules(reader, [rule('few', { filter: 'item.price > user.budget + 30' })], 30);
  const [one, other] = [itemsOf(reader, user, ofUser), itemsOf(reader, user, ofUser)];
  expect(one).toEqual(other);
  expect(ofUser.isTooExpensive).toBe(true);
  expect(compileRules(reader, texts).isTooExpensive).toBe(false);
}));

it('says that no item passes a filter, and which clause is true for none', () => withModel(model, (reader) => {
  const faultOf = (filter: string): object | null => compileRules(reader, [rule('one', { filter })]).faultOf('one');
  expect(faultOf('item.price > 2 && item.genre == "genre 11"')).toEqual({ detail: `\`item.genre == "genre 11"\` in the filter is true for none of ${films} items`, isFollowed: true });
  expect(faultOf('item.genre == "genre 1" && item.genre == "genre 2"')).toEqual({ detail: `the filter is true for none of ${films} items`, isFollowed: true });
  for (const filter of ['item.price == 49', 'item.price < user.budget - 1000', 'item.genre != "genre 11"']) expect(faultOf(filter)).toBeNull();
}));

it('counts the items that exist in a model with room for new ones', () => withModel(model, (trained) => {
  const added = new NewItems(trained, 50);
  added.add({ id: 'new', type: 0, name: 'new', mediaUrl: '', metadata: '{"genre":"genre 1","price":4}' });
  const set = compileRules(added.model, [rule('one', { filter: 'item.price > 1000' }), rule('two', { filter: '!has(item.price)' }), rule('new', { filter: 'item.id == "new"' }), rule('idle', { boost: 'item.price / (item.price - item.price)' })]);
  expect(set.faultOf('one')?.detail).toBe(`\`item.price > 1000\` in the filter is true for none of ${films + 1} items`);
  expect(set.faultOf('two')?.detail).toBe(`\`!has(item.price)\` in the filter is true for none of ${films + 1} items`);
  expect(set.faultOf('new')).toBeNull();
  expect(set.faultOf('idle')?.detail).toContain(`for any of ${films + 1} items`);
}));

it('limits the product of boosts to 0 and 1000, and counts a boost without a value as 1', () => withModel(model, (reader) => {
  const rules = compileRules(reader, [rule('a', { boost: '900.0' }), rule('b', { boost: 'item.price * 50.0' }), rule('absent', { boost: 'item.price / (item.price - item.price)' }), rule('user', { boost: 'user.budget > 1000 ? 0.0 : 0.5' })]);
  const steering = new Steering(reader, { boost: '2.0' }, rules);
  steering.begin(films + 3);
  expect([0, 1, 3].map((item) => steering.factor(item))).toEqual([0, 1000, 1000]);
  expect(steering.ruleFactors(1)).toEqual([{ rule: 'a', boost: 900 }, { rule: 'b', boost: 50 }, { rule: 'absent', boost: 1 }, { rule: 'user', boost: 0.5 }]);
}));

it('leaves out a rule that does not fit the model, with the reason, and keeps what it compiled for the same array', () => withModel(model, (reader) => {
  const texts = [rule('bad', { filter: 'item.genre == "genre 1"', boost: 'item.prise' }), rule('good', { filter: 'item.price > 3' })];
  const set = ruleSetOf(reader, texts);
  expect(set.names).toEqual(['good']);
  expect([...set.misfits]).toEqual([['bad', 'the boost does not fit the model: at character 1, the model has no column "item.prise". The nearest column is item.price']]);
  expect(ruleSetOf(reader, texts)).toBe(set);
  expect(ruleSetOf(reader, [...texts])).not.toBe(set);
}));
