import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TrainedModel } from '../../engine/data/trainedModel.ts';
import { createRandom } from '../../engine/linear/random.ts';
import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import { NewItems } from '../../engine/newItems/newItems.ts';
import { filmData, trainOn } from '../../testing/filmData.ts';
import { withModel } from '../../testing/withModel.ts';
import { compileFilter } from '../../expressions/expression.ts';
import type { Columns, Scope, Value } from '../../expressions/expressionValue.ts';
import { ModelColumns } from './modelColumns.ts';
import { compileRules } from './ruleSet.ts';
import { Steering } from './steering.ts';

const [films, users, sent] = [60, 20, 6];
const random = createRandom(3);
const one = <Of>(of: readonly Of[]): Of => of[random.below(of.length)] as Of;
const some = <Of>(of: readonly Of[]): Of[] => of.filter(() => random.uniform() < 0.4);

const texts = ['Acme', 'B', 'é', '\u{1F600}', 'acme'] as const;
const dates = ['1999-03-31', '2000-01-01T10:00:00Z'] as const;

/** Metadata in which each member is absent from some items, so that some columns are dense and others sparse. */
function metadata(): string {
  const all = { price: one([-1, -0, 0, 1, 2.5, 7]), year: one([1, 2, 3]), cost: one([0, 1, 2]), isNew: one([true, false]), maker: one(texts), seller: one(texts), genres: some(texts), tags: some(texts), sizes: some([0, 1, 2.5]), released: one(dates) };
  const rare = new Set(['year', 'seller', 'tags', 'sizes']);
  return JSON.stringify(Object.fromEntries(Object.entries(all).filter(([name]) => random.uniform() < (rare.has(name) ? 0.3 : 0.85))));
}

let model: TrainedModel;
beforeAll(() => {
  const data = filmData(films, users, 7);
  const member = data.nodes.ids.map((_, node) => (node < films ? metadata() : JSON.stringify(node % 5 === 0 ? {} : { budget: node % 4, likes: some(texts), maker: one(texts) })));
  model = trainOn({ ...data, nodes: { ...data.nodes, metadata: member } });
});

const number = fc.oneof(fc.constantFrom('item.price', 'item.year', 'item.cost', 'user.budget', '0', '1', '2.5', '-1'), fc.constantFrom('size(item.genres)', 'item.tags.size()', '(item.price + 1)', '(item.cost / item.price)'));
const time = fc.constantFrom('item.released', 'timestamp("1999-03-31")', 'timestamp("1999-12-31")');
const text = fc.oneof(fc.constantFrom('item.maker', 'item.seller', 'item.id', 'user.maker'), fc.constantFrom('"Acme"', '"B"', '"é"', '"\u{1F600}"', '"zzz"', '"film 003"', '"�"'));
const list = fc.constantFrom('item.genres', 'item.tags', 'user.likes', '["B", "é"]');
const test = fc.constantFrom('g == "Acme"', 'g in user.likes', 'g != item.maker', 'g < "b"');
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small' },
    fc.tuple(number, fc.constantFrom('<', '<=', '>', '>=', '==', '!='), number).map((parts) => parts.join(' ')),
    fc.tuple(time, fc.constantFrom('<', '>=', '==', '!='), time).map((parts) => parts.join(' ')),
    fc.tuple(text, fc.constantFrom('==', '!=', '<'), text).map((parts) => parts.join(' ')),
    fc.tuple(text, list).map((parts) => parts.join(' in ')),
    number.map((value) => `${value} in item.sizes`),
    fc.tuple(list, fc.constantFrom('exists', 'all'), test).map(([of, macro, each]) => `${of}.${macro}(g, ${each})`),
    fc.constantFrom('item.price', 'item.genres', 'item.tags', 'item.seller').map((column) => `has(${column})`),
    fc.constant('item.isNew'),
    fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    tie('condition').map((inner) => `!(${inner})`),
    fc.tuple(tie('condition'), tie('condition'), tie('condition')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
  ),
}));
const filter = fc.array(condition, { minLength: 1, maxLength: 4 }).map((clauses) => clauses.join(' && '));

/** Opens the model with items that the file does not have, which are the last numbers. */
async function withColumns(use: (reader: ModelReader, columns: ModelColumns, items: number) => void): Promise<void> {
  await withModel(model, (trained) => {
    const added = new NewItems(trained, sent);
    const type = trained.facts.types.indexOf('film');
    for (let item = 0; item < sent; item += 1) expect(added.add({ id: `sent ${item}`, type, name: '', mediaUrl: '', metadata: metadata().replace('{', '{"genre":"genre 1",') })).toBe(films + item);
    use(added.model, new ModelColumns(added.model), films + sent);
  });
}

/** The columns without what is known of how they are stored. */
function plain(columns: ModelColumns): Columns {
  return {
    owner: 'the model',
    item: (name) => { const column = columns.item(name); return column === null ? null : { type: column.type, read: column.read }; },
    user: (name) => columns.user(name), itemNames: () => columns.itemNames(), userNames: () => columns.userNames(), omitted: (name) => columns.omitted(name),
  };
}

describe('a filter over stored columns', () => {
  it('has the value that it has over values that are read one by one', () => withColumns((reader, columns, items) => {
    const people = [films, films + 1, films + 7].map((node) => columns.userValues(node));
    const general = plain(columns);
    const seen = new Set<Value>();
    fc.assert(fc.property(filter, (expression) => {
      const [stored, straightforward] = [compileFilter(expression, columns), compileFilter(expression, general)];
      for (const user of [new Map<string, Value>(), ...people]) {
        const scope = (item: number): Scope => ({ item, user, element: undefined });
        for (let item = 0; item < items; item += 1) {
          const value = stored.evaluate(scope(item));
          expect(value, `${expression}, item ${item}`).toBe(straightforward.evaluate(scope(item)));
          seen.add(value);
        }
      }
    }), { numRuns: 300 });
    expect([...seen].toSorted()).toEqual([false, true, undefined]);
    expect(reader.added).not.toBeNull();
  }));

  it('lets the same items pass for one user after another, in a request and as a rule', () => withColumns((reader, columns, items) => {
    const general = plain(columns);
    const every = Array.from({ length: items }, (_, item) => item);
    let passed = 0;
    fc.assert(fc.property(filter, (expression) => {
      const straightforward = compileFilter(expression, general);
      const request = new Steering(reader, { filter: expression });
      const asRule = new Steering(reader, {}, compileRules(reader, [{ name: 'rule', filter: expression, boost: null }]));
      for (const node of [films, films + 1, -1, films + 7, films]) {
        const user = node < 0 ? new Map<string, Value>() : columns.userValues(node);
        const expected = every.filter((item) => straightforward.evaluate({ item, user, element: undefined }) === true);
        for (const steering of [request, asRule]) {
          steering.begin(node);
          expect(every.filter((item) => steering.accepts(item)), expression).toEqual(expected);
        }
        passed += expected.length;
      }
    }), { numRuns: 200 });
    expect(passed).toBeGreaterThan(1000);
  }));
});
