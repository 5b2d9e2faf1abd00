import { Environment } from '@marcbachmann/cel-js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileBoost, compileFilter } from './expression.ts';
import { ExpressionFault, type Columns, type Value, type ValueType } from './expressionValue.ts';

type Row = Readonly<Record<string, Value>>;

const types: Readonly<Record<string, ValueType>> = {
  price: 'number', year: 'number', genres: 'list<string>', sizes: 'list<number>', maker: 'string', new: 'bool', 'brand.name': 'string', released: 'timestamp',
};
const userTypes: Readonly<Record<string, ValueType>> = { budget: 'number', likes: 'list<string>' };

function columnsOf(rows: readonly Row[]): Columns {
  return {
    owner: 'the model',
    item: (name) => (types[name] === undefined ? null : { type: types[name], read: (item) => rows[item]?.[name] }),
    user: (name) => userTypes[name] ?? null,
    itemNames: () => Object.keys(types),
    userNames: () => Object.keys(userTypes),
    omitted: (name) => (name === 'story' ? 'most of its texts have more than 256 characters' : null),
  };
}

function filter(text: string, row: Row, user: Row = {}): Value {
  return compileFilter(text, columnsOf([row])).evaluate({ item: 0, user: new Map(Object.entries(user)), element: undefined });
}

function faultOf(text: string): string {
  try {
    compileFilter(text, columnsOf([{}]));
  } catch (error) {
    if (error instanceof ExpressionFault) return `${error.position}: ${error.message}`;
    throw error;
  }
  return 'no fault';
}

const film: Row = { price: 12.5, year: 1999, genres: ['drama', 'horror'], sizes: [1, 2], maker: 'Acme', new: true, 'brand.name': 'X', released: Date.UTC(1999, 2, 31) };

describe('a filter', () => {
  test('compares columns of the item and of the user', () => {
    expect(filter('item.price < user.budget && !("horror" in item.genres)', film, { budget: 20 })).toBe(false);
    expect(filter('item.price < user.budget && !("comedy" in item.genres)', film, { budget: 20 })).toBe(true);
    expect(filter('item.brand.name == "X" && item["maker"].startsWith("Ac")', film)).toBe(true);
    expect(filter('item.released >= timestamp("1999-03-31") && item.released < timestamp("1999-03-31T00:00:01Z")', film)).toBe(true);
    expect(filter('item.genres.exists(g, g in user.likes)', film, { likes: ['drama'] })).toBe(true);
    expect(filter('item.genres.all(g, g in user.likes)', film, { likes: ['drama'] })).toBe(false);
    expect(filter('(item.new ? item.price * 2 : 0.0) == 25 && 2 in item.sizes && size(item.genres) == 2', film)).toBe(true);
  });

  test('with an absent column is decided by the other columns where they decide', () => {
    expect(filter('item.price < 3', {})).toBeUndefined();
    expect(filter('!(item.price < 3)', {})).toBeUndefined();
    expect(filter('item.price < 3 || item.year == 1999', { year: 1999 })).toBe(true);
    expect(filter('item.price < 3 && item.year == 1998', { year: 1999 })).toBe(false);
    expect(filter('!has(item.price) || item.price < 3', {})).toBe(true);
    expect(filter('!("horror" in item.genres)', {})).toBe(true);
    expect(filter('has(item.genres)', {})).toBe(false);
    expect(filter('item.price / user.budget > 1', film, { budget: 0 })).toBeUndefined();
  });

  test('names an unknown column, the nearest one and the place', () => {
    expect(faultOf('item.year > 3 && item.prise < 3')).toBe('17: the model has no column "item.prise". The nearest column is item.price');
    expect(faultOf('item.price < user.bugdet')).toBe('13: the model has no column "user.bugdet". The nearest column is user.budget');
    expect(faultOf('item.zzzzzzzzzzzzzzzz == 3')).toContain('Known columns: item.price, item.year');
    expect(faultOf('item.story == "x"')).toBe('0: the model does not keep the column "story" because most of its texts have more than 256 characters');
    expect(faultOf('price < 3')).toBe('0: "price" is unknown; an expression names columns as item.… and user.…. Write item.price');
    expect(faultOf('Item.brand.name == "X"')).toBe('0: "Item.brand.name" is unknown; an expression names columns as item.… and user.…. Write item.brand.name');
    expect(faultOf('film.prise < 3')).toBe('0: "film.prise" is unknown; an expression names columns as item.… and user.…');
  });

  test('names types that do not fit', () => {
    expect(faultOf('item.year > 3 && item.price < "3"')).toBe('17: the operator < does not take `item.price`, a number, on its left and `"3"`, a string, on its right. Write 3 without quotes');
    expect(faultOf('item.genres == "horror"')).toContain('does not take `item.genres`, a list<string>, on its left and `"horror"`, a string, on its right. Write `"horror" in item.genres`');
    expect(faultOf('"horror" != item.genres')).toMatch(/Write `!\("horror" in item.genres\)`/);
    expect(faultOf('item.sizes > 3')).toContain('Write `item.sizes.exists(x, x > 3)`');
    expect(faultOf('3 in item.genres')).toContain('the operator in does not take `3`, a number, on its left and `item.genres`, a list<string>, on its right. Its elements are texts');
    expect(faultOf('"Ac" in item.maker')).toContain('To search in a text, write `item.maker.contains("Ac")`');
    expect(faultOf('item.maker > 3')).toMatch(/The column `item.maker` is a string because some or all of its values in the metadata are texts: upload them without quotes/);
    expect(faultOf('item.released > "1999-03-31"')).toMatch(/Write a time as timestamp\("1999-03-31"\)$/);
    expect(faultOf('item.new == "true"')).toMatch(/Write true without quotes$/);
    expect(faultOf('(item.price + 1) * 2 == item.maker')).toContain('take `(item.price + 1) * 2`, a number, on its left and `item.maker`, a string, on its right');
    expect(faultOf('item.genres.contains("horror")')).toContain('`item.genres` is a list<string>, and a string is needed here. Write `"horror" in item.genres`');
    expect(faultOf('item.price')).toBe('0: its value is a number, and a bool is needed');
    expect(faultOf('item.price && true')).toBe('0: `item.price` is a number, and a bool is needed here');
    expect(faultOf('item.maker.matches("(a+)+$")')).toContain('`matches` is not supported, because some regular expressions take for ever');
    expect(faultOf('item.maker.containz("a")')).toContain('The nearest function is contains');
    expect(faultOf('item.price == null')).toContain('null is not supported');
    expect(faultOf('timestamp("tomorrow") < item.released')).toContain('timestamp() takes a date or time');
  });

  test('that has a value for no item is refused, and not only without effect', () => {
    expect(faultOf('item.price > 1 / 0')).toBe('13: `1 / 0` divides by 0, so it has no value for any item');
    expect(faultOf('item.price % (2 - 2) > 1')).toMatch(/divides by 0, so it has no value for any item$/);
    expect(faultOf('item.price > -0.0 / -(1 - 1.0)')).toMatch(/divides by 0/);
    expect(faultOf('item.price > 1e308 * 10')).toMatch(/`1e308 \* 10` is too large for a number, so it has no value for any item$/);
    expect(filter('item.price > 0 / 3 && item.price < 1e308 * 1', film)).toBe(true);
  });

  test('that is too long, too deep or not CEL is refused at once', () => {
    expect(faultOf('('.repeat(10_000))).toContain('it has 10000 characters; at most 4096 are allowed');
    for (const text of ['('.repeat(2000), '!'.repeat(4000) + 'true', '[1].map(x, '.repeat(100), `${'1+'.repeat(2000)}1 > 0`, `1 in [${'1,'.repeat(1000)}1]`]) {
      expect(faultOf(text)).toContain('it is too large');
    }
    expect(faultOf('item.genres.exists(a, item.genres.exists(b, a == b))')).toContain('inside another');
    expect(faultOf('item.price <')).toBe('12: it is not valid CEL: unexpected token: EOF');
    expect(faultOf(' ')).toBe('0: it is empty');
  });

  test('with signs of another language states how CEL writes them', () => {
    const written: Readonly<Record<string, string>> = {
      'item.price = 3': '==', 'item.price <> 3': '!=', 'item.price => 3': '<= and >=', 'item.new and true': '&&', 'item.new OR true': '||', 'NOT item.new': '!', 'item.new & true': '&&',
      'item.new | true': '||', 'item.maker IN ["A"]': 'small letters', 'item.maker not in ["A"]': '!(value in list)', 'item.maker is null': 'has(item.…)', 'item.maker like "A"': 'contains',
      'item.maker == “A”': 'straight quotes', 'item.price < 1,5': 'a point', 'item.price between 1 and 2': '>= 1 &&', 'item.new;': 'semicolon',
    };
    for (const [text, hint] of Object.entries(written)) {
      expect(faultOf(text)).toContain(hint);
      expect(faultOf(text)).not.toContain('unexpected');
    }
  });

  test('returns what the evaluator of the library returns, for items with all columns', () => {
    const number = fc.oneof(fc.constantFrom('item.price', 'item.year', 'user.budget'), fc.integer({ min: -5, max: 5 }).map((value) => `${value}.0`));
    const text = fc.oneof(fc.constantFrom('item.maker', 'item.brand'), fc.constantFrom('"Acme"', '"B"', '""'));
    const arithmetic = fc.tuple(number, fc.constantFrom('+', '-', '*'), number).map(([a, operator, b]) => `(${a} ${operator} ${b})`);
    const { condition } = fc.letrec<{ condition: string }>((tie) => ({
      condition: fc.oneof(
        { depthSize: 'small' },
        fc.tuple(fc.oneof(number, arithmetic), fc.constantFrom('<', '<=', '>', '>=', '==', '!='), fc.oneof(number, arithmetic)).map((parts) => parts.join(' ')),
        fc.tuple(text, fc.constantFrom('<', '==', '!=', '>='), text).map((parts) => parts.join(' ')),
        text.map((value) => `${value} in item.genres`),
        fc.tuple(text, fc.constantFrom('contains', 'startsWith', 'endsWith'), text).map(([a, method, b]) => `${a}.${method}(${b})`),
        fc.constantFrom('exists', 'all').map((macro) => `item.genres.${macro}(g, g != "B")`),
        fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
        tie('condition').map((inner) => `!(${inner})`),
        fc.tuple(tie('condition'), tie('condition'), tie('condition')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      ),
    }));
    const names = fc.constantFrom('Acme', 'B', '', 'horror');
    const row = fc.record({ price: fc.integer({ min: -3, max: 3 }), year: fc.integer({ min: -3, max: 3 }), maker: names, brand: names, genres: fc.array(names, { maxLength: 3 }) });
    const oracle = new Environment({ unlistedVariablesAreDyn: true });
    const columns = (item: Row): Columns => ({ ...columnsOf([item]), item: (name) => ({ type: name === 'brand' ? 'string' : (types[name] ?? 'string'), read: () => item[name] }) });
    let passed = 0;
    fc.assert(
      fc.property(condition, row, fc.integer({ min: -3, max: 3 }), (expression, item, budget) => {
        const expected: unknown = oracle.evaluate(expression, { item, user: { budget } });
        const own = compileFilter(expression, columns(item)).evaluate({ item: 0, user: new Map([['budget', budget]]), element: undefined });
        expect(own).toBe(expected);
        if (expected === true) passed += 1;
      }),
      { numRuns: 2000 },
    );
    expect(passed).toBeGreaterThan(300);
  });
});

describe('a filter in clauses', () => {
  test('has the operands of its && in order', () => {
    const { clauses } = compileFilter('item.price < 3 && (item.new || item.year > 2000) && item.maker != "B"', columnsOf([film]));
    expect(clauses.map(({ text }) => text)).toEqual(['item.price < 3', '(item.new || item.year > 2000)', 'item.maker != "B"']);
    const texts = (text: string): string[] => compileFilter(text, columnsOf([film])).clauses.map((clause) => clause.text);
    expect(texts(`item.maker != "a && \\"b" && !(item.new && item.price > 2)&&item.maker != '&&' // && no`)).toEqual(['item.maker != "a && \\"b"', '!(item.new && item.price > 2)', "item.maker != '&&' // && no"]);
    expect(texts('item.new || item.price > 2 && item.year > 2000')).toEqual(['item.new || item.price > 2 && item.year > 2000']);
    expect(texts(`item.maker != """it's && ok""" && item.new`)).toHaveLength(2);
  });
});

describe('a boost', () => {
  test('is a number, and tells whether it depends on the user', () => {
    const boost = compileBoost('item.new ? 1.5 : 1', columnsOf([film]));
    expect(boost.evaluate({ item: 0, user: new Map(), element: undefined })).toBe(1.5);
    expect(boost.readsUser).toBe(false);
    expect(compileBoost('item.price / user.budget', columnsOf([film])).readsUser).toBe(true);
    expect(() => compileBoost('item.new', columnsOf([film]))).toThrow('its value is a bool, and a number is needed');
  });

  test.each([['-1', 'its value is -1 for every item'], ['500 * 3.0', 'its value is 1500 for every item']])('that is the constant %s is refused', (text, detail) => {
    expect(() => compileBoost(text, columnsOf([film]))).toThrow(detail);
  });

  test('that is a factor, or depends on the item, is accepted', () => {
    for (const text of ['2.0', '0', '1000', '-item.price']) expect(compileBoost(text, columnsOf([film])).text).toBe(text);
  });
});
