import { isObject, parseObject } from '../data/parseObject.ts';

const maxDepth = 8;
const maxPathLength = 128;

/** A member of a metadata object: a scalar, or the scalars of a list. */
export type Member = string | number | boolean | readonly unknown[];

/**
 * Calls `visit` with each member of a metadata object. Nested members have dotted paths. Objects inside lists are omitted.
 * @param metadata JSON object text; any other text has no members
 */
export function visitMembers(metadata: string, visit: (path: string, value: Member) => void): void {
  const parsed = parseObject(metadata);
  if (parsed !== null) visitObject(parsed, '', 0, visit);
}

function visitObject(object: object, prefix: string, depth: number, visit: (path: string, value: Member) => void): void {
  for (const [key, value] of Object.entries(object)) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (path.length > maxPathLength) continue;
    if (typeof value === 'string' || typeof value === 'boolean') visit(path, value);
    else if (typeof value === 'number') {
      if (Number.isFinite(value)) visit(path, value);
    } else if (Array.isArray(value)) visit(path, value);
    else if (isObject(value) && depth < maxDepth) visitObject(value, path, depth + 1, visit);
  }
}
