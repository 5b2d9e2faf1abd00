import type { TObject, TSchema } from 'typebox';
import { Settings } from 'typebox/system';
import type { Fault } from '../errors/problem.ts';
import { compileOnce } from '../config/compileOnce.ts';
import { describeRange } from '../config/describeRange.ts';
import { shorten, shortenJson } from '../errors/shorten.ts';
import { parseIdentifiers, parseTags } from './parameters.ts';
import { schemaAt } from './schemaPlaces.ts';
import { suggestName } from './suggestName.ts';
import { withoutNulls } from './withoutNulls.ts';

// The library stops at 8 faults by default. An answer should contain all faults of a request, up to 100.
Settings.Set({ maxErrors: 100 });

/** Upper bound for the faults in one answer, so that an attacker cannot cause huge answers. */
const maxFaults = 100;
/** Characters of a name or value in a message. */
const maxShown = 80;

/** A part of a request that has a schema: path, query or JSON body. */
export type RequestPart = 'params' | 'query' | 'body';

/** The result of parsing one part of a request: the typed value, or all faults with their locations. */
export interface ParsedPart {
  value: unknown;
  unknown: Fault[];
  invalid: Fault[];
}

type ParsePart = (input: unknown) => ParsedPart;

const numberForm = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Compiles the parser of one part of a request. Query and path values are text, which the parser converts to numbers, booleans and lists by the
 * schema. Values of a JSON body keep their types, with two exceptions: lists of labels accept several notations, and null in an optional field means
 * that the field is absent. The parser fills in defaults. Unknown names are faults.
 * @param body for a query: the schema of the body of the route, because its fields are often sent in the query by mistake
 */
export function compileParser(part: RequestPart, schema: TObject, body?: TObject): ParsePart {
  const validatorOf = compileOnce(schema);
  const fallbacks = Object.entries(schema.properties).filter(([, property]) => defaultOf(property) !== undefined);
  return (input) => {
    const parsed: ParsedPart = { value: input, unknown: [], invalid: [] };
    const fields = part === 'body' ? withoutNulls(schema, input ?? {}) : input;
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
      parsed.invalid.push({ location: locate(part, []), detail: `The body is ${show(input)}; it must be an object.` });
      return parsed;
    }
    const value: Record<string, unknown> = {};
    for (const name of Object.keys(fields)) {
      const given: unknown = (fields as Record<string, unknown>)[name];
      const field = fieldOf(schema, name);
      if (field === null) {
        // The bound also limits the search for similar names, which is slow for a request with many unknown names.
        if (parsed.unknown.length < maxFaults) parsed.unknown.push(body !== undefined && Object.hasOwn(body.properties, name) ? misplacedFault(part, name) : unknownFault(part, schema, [], name));
        continue;
      }
      value[field] = merge(value[field], parseField(part, schema.properties[field] as TSchema, given));
      if (!isStorable(given)) parsed.invalid.push(unstorableFault(part, [name]));
    }
    for (const [name, property] of fallbacks) if (value[name] === undefined) value[name] = defaultOf(property);
    parsed.value = value;
    const validator = validatorOf();
    if (!validator.Check(value)) collectFaults(part, schema, validator.Errors(value), value, parsed);
    return parsed;
  };
}

function defaultOf(property: TSchema): unknown {
  return (property as { default?: unknown }).default;
}

/** Returns the property that a name refers to; `tags[]` refers to a list property `tags`. Null for an unknown name. */
function fieldOf(schema: TObject, name: string): string | null {
  if (Object.hasOwn(schema.properties, name)) return name;
  const bare = name.endsWith('[]') ? name.slice(0, -2) : null;
  if (bare === null || !Object.hasOwn(schema.properties, bare)) return null;
  return (schema.properties[bare] as { list?: string }).list === 'tags' ? bare : null;
}

/** `tags` and `tags[]` in one request are combined. */
function merge(before: unknown, now: unknown): unknown {
  return Array.isArray(before) && Array.isArray(now) ? [...new Set([...before, ...now])] : now;
}

function parseField(part: RequestPart, schema: TSchema, given: unknown): unknown {
  const { list, type } = schema as { list?: string; type?: string };
  if (list === 'tags') return parseTags(given) ?? given;
  if (list === 'csv') return parseIdentifiers(given) ?? given;
  if (part === 'body' || typeof given !== 'string') return given;
  // A number that is too large stays text, so that the fault can quote it.
  if (type === 'integer' || type === 'number') return numberForm.test(given.trim()) && Number.isFinite(Number(given)) ? Number(given) : given;
  if (type === 'boolean') return given === 'true' ? true : given === 'false' ? false : given;
  return given;
}

/**
 * Returns whether all text in a value can be stored and sent again. NUL and unpaired surrogates are allowed in JSON and in an escaped URL, but
 * PostgreSQL's text type and UTF-8 cannot represent them. The recursion is bounded: JSON bodies have at most 64 levels.
 */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}

function unstorableFault(part: RequestPart, path: string[]): Fault {
  return {
    location: locate(part, path),
    detail: `${shortenName(path.at(-1) ?? '')} contains a NUL character or an unpaired surrogate, which is not valid text.`,
  };
}

interface SchemaFault {
  keyword: string;
  instancePath: string;
  params: object;
}

function collectFaults(part: RequestPart, schema: TObject, faults: SchemaFault[], value: unknown, parsed: ParsedPart): void {
  const seen = new Set<string>();
  for (const fault of faults) {
    const path = pointerParts(fault.instancePath);
    if (fault.keyword === 'additionalProperties') {
      const names = (fault.params as { additionalProperties: string[] }).additionalProperties;
      for (const name of names.slice(0, maxFaults - parsed.unknown.length)) parsed.unknown.push(unknownFault(part, schema, path, name));
    } else if (fault.keyword === 'required') {
      const names = (fault.params as { requiredProperties: string[] }).requiredProperties;
      for (const name of names) addOnce(missingFault(part, schema, [...path, name]));
    } else if (fault.keyword !== 'boolean') {
      addOnce(invalidFault(part, schema, path, valueAt(value, path)));
    }
  }
  // If the value matches no alternative, the faults inside it are more specific than the fault of the object itself, so the latter is dropped.
  const places = [...parsed.unknown, ...parsed.invalid].map(({ location }) => location);
  parsed.invalid = parsed.invalid.filter(({ location }) => !places.some((place) => place.startsWith(`${location}/`)));
  // A value that matches no alternative gives one fault per alternative. Only the first is kept.
  function addOnce(fault: Fault): void {
    if (seen.has(fault.location) || parsed.invalid.length >= maxFaults) return;
    seen.add(fault.location);
    parsed.invalid.push(fault);
  }
}

function unknownFault(part: RequestPart, schema: TObject, path: readonly string[], name: string): Fault {
  const shown = shortenName(name);
  return { location: locate(part, [...path, name]), detail: `${shown} is unknown; ${suggestName(schema, path, name)}`, value: shown };
}

function misplacedFault(part: RequestPart, name: string): Fault {
  return { location: locate(part, [name]), detail: `${name} is a field of the body, not a query parameter; send it in the JSON body.`, value: name };
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
  const length = Array.isArray(value) ? ` with ${value.length} ${value.length === 1 ? 'member' : 'members'}` : '';
  return {
    location: locate(part, path),
    detail: `${shortenName(name)} is ${show(value)}${length}; it must be ${range}.`,
    value: show(value),
  };
}

function locate(part: RequestPart, path: readonly string[]): string {
  if (part === 'query') return `query:${shortenName(path[0] ?? '')}`;
  if (part === 'params') return `path:${shortenName(path[0] ?? '')}`;
  return path.map((name) => shortenName(name).replaceAll('~', '~0').replaceAll('/', '~1')).map((name) => `/${name}`).join('');
}

function pointerParts(pointer: string): string[] {
  return pointer.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

/** Formats a value as short JSON for messages. */
function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'number') return String(value);
  try {
    return shortenJson(JSON.stringify(value) ?? typeof value, maxShown);
  } catch {
    // The value is nested too deeply for JSON.stringify, which overflowed the stack.
    return Array.isArray(value) ? 'a deeply nested list' : 'a deeply nested object';
  }
}

function shortenName(name: string): string {
  return shorten(name, maxShown);
}
