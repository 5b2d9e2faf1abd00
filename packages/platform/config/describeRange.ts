import type { TSchema } from 'typebox';

/** The JSON Schema keywords that messages describe. */
interface Keywords {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Keywords[];
  items?: Keywords;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  /** Vouch's own keyword: the range in words, if the other keywords would give an unclear description. */
  range?: string;
}

/** Describes the allowed values of a schema, as the end of the sentence "it must be …". */
export function describeRange(schema: TSchema): string {
  return describe(schema as Keywords);
}

function describe(schema: Keywords): string {
  if (schema.range !== undefined) return schema.range;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return oneOf(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.anyOf !== undefined) return oneOf([...new Set(schema.anyOf.map(describe))]);
  switch (schema.type) {
    case 'integer': return `an integer${bounds(schema)}`;
    case 'number': return `a number${bounds(schema)}`;
    case 'boolean': return 'true or false';
    case 'string': return formats[schema.format ?? ''] ?? `text${length(schema)}${schema.pattern === undefined ? '' : ` that matches ${schema.pattern}`}`;
    case 'array': return `a list${items(schema)}${schema.items === undefined ? '' : `, each ${describe(schema.items)}`}`;
    case 'object': return 'an object';
    case 'null': return 'null';
    default: return 'a value';
  }
}

const formats: Readonly<Record<string, string>> = { 'date-time': 'a time such as 2026-11-01T08:30:00Z', date: 'a date such as 2026-11-01' };

function oneOf(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? 'nothing') : `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;
}

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Keywords): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  const low = minimum === undefined ? exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`] : [`of ${minimum} or more`];
  const high = maximum === undefined ? exclusiveMaximum === undefined ? [] : [`below ${exclusiveMaximum}`] : [`of ${maximum} or less`];
  const both = [...low, ...high];
  return both.length === 0 ? '' : ` ${both.join(' and ')}`;
}

function length({ minLength, maxLength }: Keywords): string {
  if (minLength !== undefined && maxLength !== undefined) return ` of ${minLength} to ${maxLength} characters`;
  if (minLength !== undefined) return minLength === 1 ? ' that is not empty' : ` of ${minLength} characters or more`;
  return maxLength === undefined ? '' : ` of at most ${maxLength} characters`;
}

function items({ minItems, maxItems }: Keywords): string {
  if (minItems !== undefined && maxItems !== undefined) return ` of ${minItems} to ${maxItems} members`;
  if (minItems !== undefined) return ` of ${minItems} members or more`;
  return maxItems === undefined ? '' : ` of at most ${maxItems} members`;
}
