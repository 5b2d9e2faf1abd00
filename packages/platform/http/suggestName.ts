import type { TSchema } from 'typebox';
import { nearestName } from '../config/nearestName.ts';
import { namesAt, objectPaths } from './schemaPlaces.ts';

/**
 * Returns the end of the message about an unknown field: the field that the sender most likely meant, here or in another object of the body, or the
 * names that the object knows.
 * @param schema the schema of the part of the request
 * @param path where the unknown field is
 */
export function suggestName(schema: TSchema, path: readonly string[], name: string): string {
  const known = namesAt(schema, path);
  const elsewhere = objectPaths(schema).filter((other) => other.join('\0') !== path.join('\0'));
  const moved = elsewhere.find((other) => namesAt(schema, other).includes(name));
  if (moved !== undefined) return `did you mean ${place(moved, name)}?`;
  const nearest = nearestName(name, known);
  if (nearest !== null) return `did you mean ${nearest}?`;
  for (const other of elsewhere) {
    const near = nearestName(name, namesAt(schema, other));
    if (near !== null) return `did you mean ${place(other, near)}?`;
  }
  return known.length === 0 ? 'the route has no query parameters.' : `known names: ${known.join(', ')}.`;
}

function place(path: readonly string[], name: string): string {
  return path.length === 0 ? `${name} at the top level of the body` : [...path, name].join('.');
}
