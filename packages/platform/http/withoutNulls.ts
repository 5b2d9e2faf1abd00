import type { TSchema } from 'typebox';

interface ReadableSchema {
  type?: unknown;
  anyOf?: readonly unknown[];
  items?: unknown;
  properties?: Readonly<Record<string, TSchema>>;
  required?: readonly string[];
  default?: unknown;
}

/**
 * Returns a JSON value without the fields that are null and optional by the schema, at every depth. Clients with typed records write null for an
 * unset field. A field keeps its null if the field is required or its schema allows null.
 */
export function withoutNulls(schema: unknown, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = alternatives(schema).find((each) => each.items !== undefined) ?? {};
    return items === undefined ? value : value.map((member) => withoutNulls(items, member));
  }
  if (typeof value !== 'object' || value === null) return value;
  const object = alternatives(schema).find((each) => each.properties !== undefined);
  if (object === undefined) return value;
  const kept = Object.entries(value).filter(([name, member]) => member !== null || !isOptional(object, name) || acceptsNull(object.properties?.[name]));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(ownProperty(object, name), member)]));
}

/** Returns whether a property may be omitted: because the schema does not require it, or because it has a default. */
export function isOptional(object: object, name: string): boolean {
  const property = ownProperty(object, name) as ReadableSchema | undefined;
  if (property === undefined) return false;
  return property.default !== undefined || !((object as ReadableSchema).required ?? []).includes(name);
}

/** Returns whether the schema itself allows null. */
export function acceptsNull(schema: unknown): boolean {
  return alternatives(schema).some(({ type }) => type === 'null');
}

function ownProperty(object: object, name: string): unknown {
  const { properties = {} } = object as ReadableSchema;
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function alternatives(schema: unknown): readonly ReadableSchema[] {
  const readable = (schema ?? {}) as ReadableSchema;
  return (readable.anyOf as readonly ReadableSchema[] | undefined) ?? [readable];
}
