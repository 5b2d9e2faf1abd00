import type { TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import type { Fault } from '../errors/problem.ts';
import { describeRange } from '../config/describeRange.ts';
import { nearestName } from '../config/nearestName.ts';
import { readIdentifiers, readTags } from './parameters.ts';
import { withoutNulls } from './withoutNulls.ts';

// The library stops at 8 faults by default; all of a request's faults are wanted, and 100 bound a hostile one.
Settings.Set({ maxErrors: 100 });

/** Faults of one answer; a hostile request must not make a huge one. */
const maxFaults = 100;

export type RequestPart = 'params' | 'query' | 'body';

/** What reading one part of a request gives: the typed value, or every fault with its place. */
export interface Reading {
  value: unknown;
  unknown: Fault[];
  invalid: Fault[];
}

type ReadPart = (input: unknown) => Reading;

const numberForm = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Compiles the reader of one part of a request.
 * Query and path values are text and become numbers, booleans and lists as the schema says; a JSON body is taken as typed,
 * except that lists of labels accept every spelling, and that null in an optional field means that the field is absent. Defaults
 * are filled in. Unknown names are faults.
 */
export function compileReader(part: RequestPart, schema: TObject): ReadPart {
  const validator = Compile(schema);
  const known = Object.keys(schema.properties);
  const fallbacks = Object.entries(schema.properties).filter(([, property]) => defaultOf(property) !== undefined);
  return (input) => {
    const reading: Reading = { value: input, unknown: [], invalid: [] };
    const fields = part === 'body' ? withoutNulls(schema, input ?? {}) : input;
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
      reading.invalid.push({ location: locate(part, []), detail: `The body is ${show(input)}; it must be an object.` });
      return reading;
    }
    const value: Record<string, unknown> = {};
    for (const name of Object.keys(fields)) {
      const given: unknown = (fields as Record<string, unknown>)[name];
      const field = fieldOf(schema, name);
      if (field === null) {
        // Not only the answer, also the search for near names must not grow with a hostile request.
        if (reading.unknown.length < maxFaults) reading.unknown.push(unknownFault(part, [name], known));
        continue;
      }
      value[field] = merge(value[field], readField(part, schema.properties[field] as TSchema, given));
      if (!isStorable(given)) reading.invalid.push(unstorableFault(part, [name]));
    }
    for (const [name, property] of fallbacks) if (value[name] === undefined) value[name] = defaultOf(property);
    reading.value = value;
    if (!validator.Check(value)) collectFaults(part, schema, validator.Errors(value), value, reading);
    return reading;
  };
}

function defaultOf(property: TSchema): unknown {
  return (property as { default?: unknown }).default;
}

/** The property a name stands for; `tags[]` stands for a list `tags`. */
function fieldOf(schema: TObject, name: string): string | null {
  if (Object.hasOwn(schema.properties, name)) return name;
  const bare = name.endsWith('[]') ? name.slice(0, -2) : null;
  if (bare === null || !Object.hasOwn(schema.properties, bare)) return null;
  return (schema.properties[bare] as { list?: string }).list === 'tags' ? bare : null;
}

/** `tags` and `tags[]` in one request add up. */
function merge(before: unknown, now: unknown): unknown {
  return Array.isArray(before) && Array.isArray(now) ? [...new Set([...before, ...now])] : now;
}

function readField(part: RequestPart, schema: TSchema, given: unknown): unknown {
  const { list, type } = schema as { list?: string; type?: string };
  if (list === 'tags') return readTags(given) ?? given;
  if (list === 'csv') return readIdentifiers(given) ?? given;
  if (part === 'body' || typeof given !== 'string') return given;
  // What is too large for a number stays text, so that the fault can show it.
  if (type === 'integer' || type === 'number') return numberForm.test(given.trim()) && Number.isFinite(Number(given)) ? Number(given) : given;
  if (type === 'boolean') return given === 'true' ? true : given === 'false' ? false : given;
  return given;
}

/**
 * Whether all text in a value is text that can be stored and answered again. NUL and half surrogate pairs are legal in JSON and
 * in an escaped address, impossible in PostgreSQL's text and in UTF-8. JSON bodies are at most 64 levels deep.
 */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}

function unstorableFault(part: RequestPart, path: string[]): Fault {
  return {
    location: locate(part, path),
    detail: `${shorten(path.at(-1) ?? '')} contains the character NUL or half of a surrogate pair, which is not text.`,
  };
}

interface SchemaFault {
  keyword: string;
  instancePath: string;
  params: object;
}

function collectFaults(part: RequestPart, schema: TObject, faults: SchemaFault[], value: unknown, reading: Reading): void {
  const seen = new Set<string>();
  for (const fault of faults) {
    const path = pointerParts(fault.instancePath);
    if (fault.keyword === 'additionalProperties') {
      const names = (fault.params as { additionalProperties: string[] }).additionalProperties;
      const known = Object.keys(objectOf(schemaAt(schema, path))?.properties ?? {});
      for (const name of names.slice(0, maxFaults - reading.unknown.length)) reading.unknown.push(unknownFault(part, [...path, name], known));
    } else if (fault.keyword === 'required') {
      const names = (fault.params as { requiredProperties: string[] }).requiredProperties;
      for (const name of names) addOnce(missingFault(part, schema, [...path, name]));
    } else if (fault.keyword !== 'boolean') {
      addOnce(invalidFault(part, schema, path, valueAt(value, path)));
    }
  }
  // An object that one of several alternatives refuses: what is wrong inside it says more than that it is none of them.
  const places = [...reading.unknown, ...reading.invalid].map(({ location }) => location);
  reading.invalid = reading.invalid.filter(({ location }) => !places.some((place) => place.startsWith(`${location}/`)));
  // A value that an alternative refuses gives one fault per alternative: the first says it all.
  function addOnce(fault: Fault): void {
    if (seen.has(fault.location) || reading.invalid.length >= maxFaults) return;
    seen.add(fault.location);
    reading.invalid.push(fault);
  }
}

function unknownFault(part: RequestPart, path: string[], known: readonly string[]): Fault {
  const name = shorten(path.at(-1) ?? '');
  const nearest = nearestName(name, known);
  const hint = nearest !== null
    ? `did you mean ${nearest}?`
    : known.length === 0 ? 'this route takes none.' : `known are ${known.join(', ')}.`;
  return { location: locate(part, path), detail: `${name} is not known here; ${hint}`, value: name };
}

function missingFault(part: RequestPart, schema: TObject, path: string[]): Fault {
  const property = schemaAt(schema, path);
  const range = property === null ? '' : `; it must be ${describeRange(property)}`;
  return { location: locate(part, path), detail: `${path.at(-1)} is required${range}.` };
}

function invalidFault(part: RequestPart, schema: TObject, path: string[], value: unknown): Fault {
  const property = schemaAt(schema, path);
  const name = path.length === 0 ? 'the body' : part === 'body' ? path.join('.') : (path[0] ?? '');
  const range = property === null ? 'another value' : describeRange(property);
  const length = Array.isArray(value) ? ` with ${value.length} members` : '';
  return {
    location: locate(part, path),
    detail: `${shorten(name)} is ${show(value)}${length}; it must be ${range}.`,
    value: show(value),
  };
}

function locate(part: RequestPart, path: readonly string[]): string {
  if (part === 'query') return `query:${shorten(path[0] ?? '')}`;
  if (part === 'params') return `path:${shorten(path[0] ?? '')}`;
  return path.map((name) => shorten(name).replaceAll('~', '~0').replaceAll('/', '~1')).map((name) => `/${name}`).join('');
}

function pointerParts(pointer: string): string[] {
  return pointer.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function schemaAt(schema: TSchema, path: readonly string[]): TSchema | null {
  let at: unknown = schema;
  for (const name of path) {
    const { items } = at as { items?: unknown };
    const properties = objectOf(at)?.properties ?? {};
    if (Object.hasOwn(properties, name)) at = properties[name];
    else if (items !== undefined && !Array.isArray(items)) at = items;
    else return null;
  }
  return at as TSchema;
}

/** The schema of an object, itself or the first of its alternatives that is one. */
function objectOf(schema: unknown): { properties: Record<string, unknown> } | null {
  const { properties, anyOf } = (schema ?? {}) as { properties?: Record<string, unknown>; anyOf?: unknown[] };
  if (properties !== undefined) return { properties };
  return anyOf?.map(objectOf).find((found) => found !== null) ?? null;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

/** A value as a short piece of JSON, for sentences. */
function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'number') return String(value);
  try {
    return shorten(JSON.stringify(value) ?? typeof value);
  } catch {
    // Thousands of nested lists are more than the serializer's stack holds.
    return Array.isArray(value) ? 'a deeply nested list' : 'a deeply nested object';
  }
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
