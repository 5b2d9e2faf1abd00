import { acceptsNull, isOptional } from './withoutNulls.ts';

/** JSON Schema plus the keywords that Vouch adds; see parameters.ts. */
interface InputSchema {
  type?: string;
  anyOf?: readonly object[];
  enum?: readonly unknown[];
  items?: object;
  properties?: Readonly<Record<string, object>>;
  required?: readonly string[];
  list?: 'tags' | 'csv';
  range?: string;
  described?: object;
  description?: string;
  default?: unknown;
}

type Part = 'path' | 'query' | 'body' | 'form';

const textOf: Readonly<Record<NonNullable<InputSchema['list']>, object>> = {
  // Up to 32 labels of up to 64 characters. Text that begins with a bracket is parsed as a JSON list.
  tags: { type: 'string', pattern: '^(?!\\s*\\[)[^,\\u0000]{0,64}(,[^,\\u0000]{0,64}){0,31}$' },
  csv: { type: 'string' },
};
const oneLabel = { type: 'string', pattern: '^(?!\\s*\\[)[^,\\u0000]{0,64}$' };

/**
 * Converts the schema of a path, query, body or form to what the server accepts, for the OpenAPI document: a property with a default is not required, a
 * list may also be a single text, and an optional field of a JSON body may be null.
 */
export function describeInput(part: Part, schema: object): object {
  const { list, range: _, described: more, ...rest } = schema as InputSchema;
  const described = { ...rest, ...more };
  if (list !== undefined) return describeList(list, described);
  return {
    ...described,
    ...(described.anyOf === undefined ? {} : { anyOf: described.anyOf.map((each) => describeInput(part, each)) }),
    ...(described.items === undefined ? {} : { items: describeInput(part, described.items) }),
    ...(described.properties === undefined ? {} : describeProperties(part, schema)),
  };
}

function describeProperties(part: Part, schema: object): object {
  const { properties = {}, required = [] } = schema as InputSchema;
  const needed = required.filter((name) => !isOptional(schema, name));
  const described = Object.entries(properties).map(([name, property]) => {
    const mayBeNull = part === 'body' && isOptional(schema, name) && !acceptsNull(property);
    return [name, mayBeNull ? orNull(describeInput(part, property)) : describeInput(part, property)] as const;
  });
  return { properties: Object.fromEntries(described), required: needed };
}

function describeList(list: 'tags' | 'csv', schema: InputSchema): object {
  const { type: _, items, description, default: fallback, ...limits } = schema;
  const described = { ...(description === undefined ? {} : { description }), ...(fallback === undefined ? {} : { default: fallback }) };
  if (list === 'csv') return { anyOf: [textOf.csv, { type: 'array', items, ...limits }], ...described };
  // Empty labels and duplicates do not count towards `maxItems`, which no schema of a list expresses, so the description states it.
  const { maxItems, ...others } = limits as { maxItems?: number };
  return { anyOf: [textOf.tags, { type: 'array', items: oneLabel, ...others }], ...described, description: `${description ?? ''} At most ${maxItems} different labels.`.trim() };
}

function orNull(schema: InputSchema): object {
  const { type, anyOf, enum: values } = schema;
  if (anyOf !== undefined) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  return {
    ...schema,
    ...(values === undefined ? {} : { enum: [...values, null] }),
    ...(type === undefined ? {} : { type: [type, 'null'] }),
  };
}
