import type { TSchema } from 'typebox';

/** Returns the schema of the value at a path; null if the schema describes no such value. */
export function schemaAt(schema: TSchema, path: readonly string[]): TSchema | null {
  let at: unknown = schema;
  for (const name of path) {
    const { items, patternProperties = {} } = at as { items?: unknown; patternProperties?: Record<string, unknown> };
    const [member] = Object.values(patternProperties);
    const properties = objectOf(at)?.properties ?? {};
    if (Object.hasOwn(properties, name)) at = properties[name];
    else if (items !== undefined && !Array.isArray(items)) at = items;
    // The members of a record have one schema, whatever their names.
    else if (member !== undefined) at = member;
    else return null;
  }
  return at as TSchema;
}

/** Returns the names of the fields of the object at a path. */
export function namesAt(schema: TSchema, path: readonly string[]): string[] {
  return Object.keys(objectOf(schemaAt(schema, path))?.properties ?? {});
}

/** Returns the paths of all objects of fixed fields in a schema, from the outside in; none inside of lists. */
export function objectPaths(schema: TSchema, path: readonly string[] = []): string[][] {
  const properties = objectOf(schema)?.properties;
  if (properties === undefined) return [];
  return [[...path], ...Object.entries(properties).flatMap(([name, property]) => objectPaths(property as TSchema, [...path, name]))];
}

/** Returns the schema itself if it describes an object, or the first of its alternatives that does; otherwise null. */
function objectOf(schema: unknown): { properties: Record<string, unknown> } | null {
  const { properties, anyOf } = (schema ?? {}) as { properties?: Record<string, unknown>; anyOf?: unknown[] };
  if (properties !== undefined) return { properties };
  return anyOf?.map(objectOf).find((found) => found !== null) ?? null;
}
