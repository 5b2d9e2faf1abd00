/** A JSON Schema of an OpenAPI document. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  [keyword: string]: unknown;
}

interface Media {
  content?: Record<string, { schema?: Schema; example?: unknown }>;
}

/** An operation of an OpenAPI document. */
export interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: Media & { required?: boolean };
  responses: Record<string, Media & { description: string }>;
}

/** The parts of an OpenAPI document that clients depend on. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

type Direction = 'request' | 'response';

const lowerBounds = ['minimum', 'minLength', 'minItems', 'exclusiveMinimum'];
const upperBounds = ['maximum', 'maxLength', 'maxItems', 'exclusiveMaximum'];

/**
 * Compares two OpenAPI documents.
 * @returns what a client of `before` may no longer do or find in `after`, one sentence each; empty if all changes are additions
 */
export function findBreaks(before: Document, after: Document): string[] {
  const breaks: string[] = [];
  for (const name of Object.keys(before.components.schemas)) if (after.components.schemas[name] === undefined) breaks.push(`the schema ${name} is gone`);
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, old] of Object.entries(methods)) {
      const now = after.paths[path]?.[method];
      const place = `${method.toUpperCase()} ${path}`;
      if (now === undefined) breaks.push(`${place} is gone`);
      else breaks.push(...compareOperations(place, old, now, (schema, side) => resolve(schema, side === 'before' ? before : after)));
    }
  }
  return breaks;
}

type Resolve = (schema: Schema | undefined, side: 'before' | 'after') => Schema;

function resolve(schema: Schema | undefined, document: Document): Schema {
  const [named, none] = schema?.anyOf ?? [];
  // A choice of a named schema and null is the schema, which may be null.
  if (named?.$ref !== undefined && none?.type === 'null') {
    const whole = resolve(named, document);
    return { ...whole, type: [typesOf(whole), 'null'].flat() };
  }
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined ? schema ?? {} : document.components.schemas[name] ?? {};
}

function compareOperations(place: string, old: Operation, now: Operation, resolved: Resolve): string[] {
  const breaks: string[] = old.operationId === now.operationId ? [] : [`${place} has another operationId: ${old.operationId} became ${now.operationId}`];
  const compare = (where: string, from: Schema | undefined, to: Schema | undefined, direction: Direction): void => {
    breaks.push(...compareSchemas(`${place} ${where}`, resolved(from, 'before'), resolved(to, 'after'), direction, resolved, 0));
  };
  for (const parameter of old.parameters ?? []) {
    const same = now.parameters?.find((each) => each.name === parameter.name && each.in === parameter.in);
    if (same === undefined) breaks.push(`${place} lost the parameter ${parameter.name}`);
    else compare(parameter.name, parameter.schema, same.schema, 'request');
  }
  for (const { name, required } of now.parameters ?? []) {
    if (required === true && old.parameters?.find((each) => each.name === name)?.required !== true) breaks.push(`${place} now requires the parameter ${name}`);
  }
  if (now.requestBody?.required === true && old.requestBody?.required !== true) breaks.push(`${place} now requires a body`);
  for (const [type, { schema }] of Object.entries(old.requestBody?.content ?? {})) {
    const same = now.requestBody?.content?.[type];
    if (same === undefined) breaks.push(`${place} no longer accepts ${type}`);
    else compare('body', schema, same.schema, 'request');
  }
  for (const [status, response] of Object.entries(old.responses)) {
    if (now.responses[status] === undefined && status.startsWith('2')) breaks.push(`${place} no longer answers ${status}`);
    for (const [type, { schema }] of Object.entries(response.content ?? {})) {
      const same = now.responses[status]?.content?.[type];
      if (same !== undefined) compare(`${status}`, schema, same.schema, 'response');
      else if (now.responses[status] !== undefined) breaks.push(`${place} ${status} has no ${type} any more`);
    }
  }
  return breaks;
}

function compareSchemas(place: string, old: Schema, now: Schema, direction: Direction, resolved: Resolve, depth: number): string[] {
  // The records of jobs are not recursive; the bound only ends a loop of references.
  if (depth > 20) return [];
  const within = (where: string, from: Schema | undefined, to: Schema | undefined): string[] =>
    compareSchemas(`${place}${where}`, resolved(from, 'before'), resolved(to, 'after'), direction, resolved, depth + 1);
  const [accepted, possible] = direction === 'request' ? [old, now] : [now, old];
  const breaks: string[] = [];
  const lost = typesOf(accepted).filter((type) => !typesOf(possible).includes(type));
  if (lost.length > 0 && typesOf(possible).length > 0) breaks.push(`${place}: the type ${lost.join(', ')} is ${direction === 'request' ? 'no longer accepted' : 'new in the answer'}`);
  if (direction === 'request' && now.enum !== undefined) {
    const gone = old.enum?.filter((value) => !now.enum?.includes(value)) ?? ['any value'];
    if (gone.length > 0) breaks.push(`${place}: ${gone.join(', ')} is no longer accepted`);
  }
  if (direction === 'request') breaks.push(...narrowedBounds(place, old, now));
  for (const [name, property] of Object.entries(old.properties ?? {})) {
    const same = now.properties?.[name];
    if (same === undefined) breaks.push(`${place}/${name} is gone`);
    else breaks.push(...within(`/${name}`, property, same));
  }
  const [must, mayLack] = direction === 'request' ? [now, old] : [old, now];
  for (const name of must.required ?? []) {
    if (!(mayLack.required ?? []).includes(name) && now.properties?.[name] !== undefined) breaks.push(`${place}/${name} is ${direction === 'request' ? 'now required' : 'no longer always present'}`);
  }
  if (old.items !== undefined && now.items !== undefined) breaks.push(...within('[]', old.items, now.items));
  if (old.anyOf?.length === now.anyOf?.length) for (const [index, each] of (old.anyOf ?? []).entries()) breaks.push(...within('', each, now.anyOf?.[index]));
  return breaks;
}

function narrowedBounds(place: string, old: Schema, now: Schema): string[] {
  const narrowed = (names: readonly string[], isNarrower: (from: number, to: number) => boolean, free: number): string[] => names
    .filter((name) => typeof now[name] === 'number' && isNarrower(typeof old[name] === 'number' ? old[name] : free, now[name]))
    .map((name) => `${place}: ${name} became ${String(now[name])}`);
  return [...narrowed(lowerBounds, (from, to) => to > from, -Infinity), ...narrowed(upperBounds, (from, to) => to < from, Infinity)];
}

function typesOf({ type, anyOf = [] }: Schema): string[] {
  return [type ?? [], anyOf.flatMap(typesOf)].flat();
}
