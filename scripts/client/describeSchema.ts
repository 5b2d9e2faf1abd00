/** The keywords of JSON Schema that the published description uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  description?: string;
  deprecated?: boolean;
}

const scalars: Readonly<Record<string, string>> = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' };

/**
 * Returns the TypeScript type of a JSON Schema.
 * @param name text before the name of a referenced schema, e.g. `schemas.`
 * @param indent spaces before the closing brace of an object
 */
export function describeSchema(schema: Schema, name: string, indent = ''): string {
  if (schema.$ref !== undefined) return name + schema.$ref.split('/').at(-1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const members = schema.anyOf ?? schema.oneOf;
  if (members !== undefined) return union(members.map((member) => describeSchema(member, name, indent)));
  if (schema.allOf !== undefined) return schema.allOf.map((member) => `(${describeSchema(member, name, indent)})`).join(' & ');
  const types = schema.type === undefined ? [schema.properties === undefined ? 'any' : 'object'] : [schema.type].flat();
  return union(types.map((type) => {
    if (type === 'array') return describeArray(describeSchema(schema.items ?? {}, name, indent));
    if (type === 'object') return describeObject(schema, name, indent);
    return scalars[type] ?? 'unknown';
  }));
}

function describeArray(items: string): string {
  return /[|&]/.test(items) && !/^\{[^]*\}$/.test(items) ? `(${items})[]` : `${items}[]`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function describeObject({ properties = {}, required = [], additionalProperties, patternProperties }: Schema, name: string, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([key, schema]) => describeField(key, schema, required.includes(key), name, inner));
  const [pattern] = Object.values(patternProperties ?? {});
  const others = pattern ?? (typeof additionalProperties === 'object' ? additionalProperties : null);
  // An index signature must accept the types of all named properties too.
  if (others !== null && fields.length === 0) return `Record<string, ${describeSchema(others, name, indent)}>`;
  if (fields.length === 0) return 'Record<string, unknown>';
  const rest = additionalProperties === true || others !== null ? `${inner}[name: string]: unknown;\n` : '';
  return `{\n${fields.join('')}${rest}${indent}}`;
}

/** Returns the line of a property, below its description. */
export function describeField(key: string, schema: Schema, required: boolean, name: string, indent: string): string {
  const shown = /^[a-zA-Z_]\w*$/.test(key) ? key : JSON.stringify(key);
  return `${comment(schema, indent)}${indent}${shown}${required ? '' : '?'}: ${describeSchema(schema, name, indent)};\n`;
}

/** Returns the description of a schema or an operation as a comment; empty without one. */
export function comment({ description = '', deprecated = false }: { description?: string; deprecated?: boolean }, indent: string): string {
  const text = [description, deprecated ? '@deprecated' : ''].filter((part) => part !== '').join(' ').replaceAll('*/', '*\\/').replaceAll(/\s*\n\s*/g, ' ');
  return text === '' ? '' : `${indent}/** ${text} */\n`;
}
