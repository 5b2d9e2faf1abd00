import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { identifierList, tagList } from './parameters.ts';
import { compileParser } from './parseParameters.ts';

const Query = Type.Object({
  model_id: Type.String({ minLength: 1, maxLength: 128 }),
  threshold: Type.Number({ minimum: 0, maximum: 1, default: 0 }),
  max_recommendations: Type.Integer({ minimum: 1, maximum: 10_000, default: 100 }),
  output_format: Type.Union([Type.Literal('csv'), Type.Literal('json')], { default: 'csv' }),
  tags: Type.Optional(tagList('')),
  entity_id: Type.Optional(identifierList('')),
});
const parseQuery = compileParser('query', Query);
const parseBody = compileParser('body', Type.Object({
  model_id: Type.Optional(Type.String({ pattern: '^[a-z]+$' })),
  days: Type.Optional(Type.Integer({ minimum: 1 })),
  data_tags: Type.Optional(tagList('')),
  parameters: Type.Optional(Type.Object({ seed: Type.Integer() }, { additionalProperties: false })),
}));

function locations(parsed: { unknown: { location: string }[]; invalid: { location: string }[] }): string[] {
  return [...parsed.unknown, ...parsed.invalid].map(({ location }) => location);
}

describe('query', () => {
  it('gives the typed values with the defaults filled in', () => {
    expect(parseQuery({ model_id: 'm', threshold: '.25' }).value)
      .toEqual({ model_id: 'm', threshold: 0.25, max_recommendations: 100, output_format: 'csv' });
  });

  it('adds up tags, tags[] and repeated parameters', () => {
    expect(parseQuery({ model_id: 'm', tags: 'a,b', 'tags[]': ['b', 'c'] }).value).toMatchObject({ tags: ['a', 'b', 'c'] });
  });

  it('knows name[] for lists of labels only', () => {
    expect(locations(parseQuery({ model_id: 'm', 'entity_id[]': 'a', 'model_id[]': 'b' }))).toEqual(['query:entity_id[]', 'query:model_id[]']);
  });

  it.each([
    ['threshold', '2'], ['threshold', '-0.1'], ['threshold', 'NaN'], ['threshold', ''], ['threshold', '0x1'], ['threshold', '1e999'],
    ['threshold', ['0.1', '0.2']], ['max_recommendations', '0'], ['max_recommendations', '10001'], ['max_recommendations', '1.5'],
    ['max_recommendations', 'true'], ['output_format', 'xml'], ['model_id', ''], ['model_id', 'x'.repeat(129)], ['model_id', ['a', 'b']],
    ['tags', 'x'.repeat(65)], ['tags', Array.from({ length: 33 }, (_, i) => String(i))], ['entity_id', '"open'], ['model_id', 'a\0b'],
    ['model_id', '\ud800'],
  ])('refuses %s=%j with the range', (name, value) => {
    const parsed = parseQuery({ model_id: 'm', [name]: value });
    expect(locations(parsed)).toEqual([`query:${name}`]);
    expect(parsed.invalid[0]?.detail).toMatch(/must be|not valid text/);
  });

  it('says of a quote that is not closed what is wanted', () => {
    expect(parseQuery({ model_id: 'm', entity_id: '"open' }).invalid[0]?.detail).toContain('must be in double quotes');
  });

  it('reports all faults at once', () => {
    const parsed = parseQuery({ treshold: '1', max_recommendations: 'x', output_format: 'y' });
    expect(parsed.unknown).toEqual([
      { location: 'query:treshold', value: 'treshold', detail: 'treshold is unknown; did you mean threshold?' },
    ]);
    expect(parsed.invalid).toEqual([
      { location: 'query:model_id', detail: 'model_id is required; it must be text of 1 to 128 characters.' },
      { location: 'query:max_recommendations', value: '"x"', detail: 'max_recommendations is "x"; it must be an integer from 1 to 10000.' },
      { location: 'query:output_format', value: '"y"', detail: 'output_format is "y"; it must be "csv" or "json".' },
    ]);
  });

  it('names the body for a field that belongs there, and says where a route has no query parameters', () => {
    const none = Type.Object({});
    const read = compileParser('query', none, Type.Object({ model_id: Type.Optional(Type.String()) }));
    expect(read({ model_id: 'm', tags: 'a' }).unknown).toEqual([
      { location: 'query:model_id', value: 'model_id', detail: 'model_id is a field of the body, not a query parameter; send it in the JSON body.' },
      { location: 'query:tags', value: 'tags', detail: 'tags is unknown; the route has no query parameters.' },
    ]);
  });

  it('bounds the faults of a hostile request', () => {
    const hostile = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`p${index}`, 'x'.repeat(100)]));
    expect(locations(parseQuery(hostile)).length).toBeLessThanOrEqual(101);
  });
});

describe('body', () => {
  it('takes a missing body and null for an empty object, and nothing else', () => {
    for (const body of [undefined, null]) expect(parseBody(body)).toEqual({ value: {}, unknown: [], invalid: [] });
    for (const body of [5, 'text', [], true]) expect(locations(parseBody(body))).toEqual(['']);
  });

  it('takes null in an optional field for an absent field, at every depth', () => {
    const read = compileParser('body', Type.Object({
      name: Type.Optional(Type.String()),
      limit: Type.Integer({ minimum: 1, default: 7 }),
      labels: Type.Optional(tagList('')),
      id: Type.String(),
      ended_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      setting: Type.Optional(Type.Union([
        Type.Literal('default'), Type.Object({ a: Type.Number(), b: Type.Optional(Type.Number()) }, { additionalProperties: false }),
      ])),
      ranges: Type.Optional(Type.Array(Type.Object({ start: Type.Number(), end: Type.Optional(Type.Number()) }))),
      facts: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }));
    expect(read({ id: 'i', name: null, limit: null, labels: null, setting: null, ranges: null, facts: null }))
      .toEqual({ value: { id: 'i', limit: 7 }, unknown: [], invalid: [] });
    expect(read({ id: 'i', setting: { a: 1, b: null }, ranges: [{ start: 1, end: null }] }).value)
      .toEqual({ id: 'i', limit: 7, setting: { a: 1 }, ranges: [{ start: 1 }] });
    // Nulls that the schema allows, and nulls inside free-form content, stay unchanged.
    expect(read({ id: 'i', ended_at: null, facts: { a: null } }).value).toEqual({ id: 'i', limit: 7, ended_at: null, facts: { a: null } });
    expect(read({ id: null, setting: { a: null }, ranges: [null], labels: [null], nmae: null }))
      .toMatchObject({ unknown: [{ location: '/nmae' }], invalid: [{ location: '/labels/0' }, { location: '/id' }, { location: '/setting/a' }, { location: '/ranges/0' }] });
  });

  it('names what is wrong inside an object that is one of several alternatives', () => {
    const read = compileParser('body', Type.Object({
      setting: Type.Optional(Type.Union([
        Type.Literal('default'), Type.Object({ a: Type.Number({ minimum: 0, maximum: 1 }), b: Type.Number() }, { additionalProperties: false }),
      ])),
    }));
    expect(read({ setting: { a: 2, b: 0 } }).invalid).toEqual([
      { location: '/setting/a', value: '2', detail: 'setting.a is 2; it must be a number from 0 to 1.' },
    ]);
    const parsed = read({ setting: { a: 1, exponent: 1 } });
    expect(parsed.unknown.map(({ detail }) => detail)).toEqual(['exponent is unknown; known names: a, b.']);
    expect(parsed.invalid).toEqual([{ location: '/setting/b', detail: 'b is required; it must be a number.' }]);
    expect(read({ setting: 'auto' }).invalid.map(({ detail }) => detail)).toEqual(['setting is "auto"; it must be "default" or an object.']);
  });

  it('shows numbers that are too large for one', () => {
    expect(parseQuery({ model_id: 'm', threshold: '1e999' }).invalid[0]?.detail).toBe('threshold is "1e999"; it must be a number from 0 to 1.');
    expect(parseBody(JSON.parse('{"days":1e400}')).invalid[0]?.detail).toMatch(/^days is Infinity; it must be an integer/);
  });

  it('does not turn text into numbers', () => {
    expect(locations(parseBody({ days: '5' }))).toEqual(['/days']);
  });

  it('says of a list of labels that a single one will do', () => {
    expect(parseBody({ data_tags: 5 }).invalid.map(({ detail }) => detail)).toEqual(['data_tags is 5; it must be a tag or a list of at most 32 tags, each of at most 64 characters.']);
    expect(parseBody({ data_tags: [5] }).invalid.map(({ detail }) => detail)).toEqual(['data_tags.0 is 5; it must be text of at most 64 characters.']);
    expect(parseBody({ days: ['a'] }).invalid[0]?.detail).toBe('days is ["a"] with 1 member; it must be an integer of 1 or more.');
  });

  it('reads a list of labels in every spelling', () => {
    for (const data_tags of ['a,b', ['a', 'b'], '["a","b"]']) expect(parseBody({ data_tags }).value).toEqual({ data_tags: ['a', 'b'] });
  });

  it('names nested faults by JSON pointer', () => {
    const parsed = parseBody({ 'a/b': 1, parameters: { seed: 1.5, sed: 2 } });
    expect(locations(parsed)).toEqual(['/a~1b', '/parameters/sed', '/parameters/seed']);
    expect(parsed.unknown[1]?.detail).toBe('sed is unknown; did you mean seed?');
  });

  it('names the object that has an unknown field', () => {
    const read = compileParser('body', Type.Object({
      model_id: Type.Optional(Type.String()),
      data_tags: Type.Optional(tagList('')),
      parameters: Type.Optional(Type.Object({ weights: Type.Optional(Type.Record(Type.String(), Type.Number())), seed: Type.Optional(Type.Integer()) }, { additionalProperties: false })),
    }, { additionalProperties: false }));
    const hints = (body: object): string[] => read(body).unknown.map(({ location, detail }) => `${location} ${detail}`);
    expect(hints({ weights: { view: 1 } })).toEqual(['/weights weights is unknown; did you mean parameters.weights?']);
    expect(hints({ wieghts: {} })).toEqual(['/wieghts wieghts is unknown; did you mean parameters.weights?']);
    expect(hints({ parameters: { data_tags: ['a'] } })).toEqual(['/parameters/data_tags data_tags is unknown; did you mean data_tags at the top level of the body?']);
    expect(hints({ exponent: 1 })).toEqual(['/exponent exponent is unknown; known names: model_id, data_tags, parameters.']);
  });

  it('closes the quotes of a value that it cuts', () => {
    const long = parseQuery({ model_id: 'm', output_format: 'y'.repeat(200) }).invalid[0];
    expect(long?.detail).toBe(`output_format is "${'y'.repeat(77)}…"; it must be "csv" or "json".`);
    expect(long?.value).toBe(`"${'y'.repeat(77)}…"`);
  });

  it('has no way to the prototype', () => {
    const parsed = parseBody(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 1, "toString": 2}'));
    expect(locations(parsed)).toEqual(['/__proto__', '/constructor', '/toString']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('survives text and nesting that cannot be printed', () => {
    const deep = JSON.parse(`{"days":${'['.repeat(5_000)}${']'.repeat(5_000)}}`);
    expect(locations(parseBody(deep))).toEqual(['/days']);
    expect(locations(parseBody({ parameters: { seed: 1 }, model_id: 'a\u0000' }))).toContain('/model_id');
  });
});
