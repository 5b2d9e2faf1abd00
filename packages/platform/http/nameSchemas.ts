/** A JSON Schema, as part of an OpenAPI document. */
interface Schema {
  title?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  [keyword: string]: unknown;
}

/** The parts of an OpenAPI document that contain schemas. */
interface Document {
  paths?: object;
  components?: { schemas?: object };
}

const typeName = /^[A-Z][A-Za-z0-9]*$/;

/**
 * Moves every schema with a title such as `Batch` to `components.schemas`, and replaces the schema by a reference. Generated clients take their type
 * names from there. In a request body, optional fields may be null, so the title `Options` becomes `OptionsRequest` there. A choice between
 * constant texts becomes one `enum`.
 * @throws Error if two different schemas have the same name
 */
export function nameSchemas(document: Document): void {
  const named: Record<string, Schema> = { ...document.components?.schemas };
  const name = (node: unknown, inRequest: boolean, areNames = false): unknown => {
    if (Array.isArray(node)) return node.map((each) => name(each, inRequest));
    if (typeof node !== 'object' || node === null) return node;
    // `range` is a keyword of Vouch, for its own messages.
    const members = Object.entries(node).filter(([key]) => areNames || key !== 'range').map(([key, value]) => [key, !areNames && isValue(key) ? value : name(value, inRequest || key === 'requestBody', !areNames && key === 'properties')] as const);
    // The keys of `properties` are names of fields, also if a field has the name of a keyword.
    if (areNames) return Object.fromEntries(members);
    const schema = joinConstants(Object.fromEntries(members));
    return typeof schema.title === 'string' && typeName.test(schema.title) ? refer(schema, inRequest) : schema;
  };
  const refer = (titled: Schema, inRequest: boolean): Schema => {
    const { title = '', example: _, examples, ...whole } = titled;
    const { isNullable, schema } = withoutNull(whole);
    const key = inRequest && !title.endsWith('Request') ? `${title}Request` : title;
    const { examples: known, ...same } = named[key] ?? schema;
    if (JSON.stringify(same) !== JSON.stringify(schema)) throw new Error(`two different schemas have the title ${key}`);
    // The plug-in moves the example of a whole answer out of its schema, so one of several uses has the examples.
    const shown = known ?? examples;
    named[key] = shown === undefined ? schema : { ...schema, examples: shown };
    const reference = { $ref: `#/components/schemas/${key}` };
    return isNullable ? { anyOf: [reference, { type: 'null' }] } : reference;
  };
  document.paths = name(document.paths ?? {}, false) as object;
  const sorted = Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1));
  document.components = { ...document.components, schemas: Object.fromEntries(sorted) };
}

/** A named schema is never null, because generators make a class of it; the places that use it may be null. */
function withoutNull(schema: Schema): { isNullable: boolean; schema: Schema } {
  const types = [schema.type ?? []].flat();
  const others = types.filter((type) => type !== 'null');
  return others.length === 1 && types.length === 2 ? { isNullable: true, schema: { ...schema, type: others[0] ?? '' } } : { isNullable: false, schema };
}

/** Whether the value of a keyword is data and not a schema. */
function isValue(key: string): boolean {
  return ['example', 'examples', 'default', 'enum', 'const', 'required'].includes(key);
}

/** Converts `anyOf` of single texts, and of null, to one `enum`. */
function joinConstants(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  const texts = anyOf?.filter((each) => each.type === 'string' && each.enum?.length === 1) ?? [];
  const nulls = anyOf?.filter((each) => each.type === 'null') ?? [];
  if (texts.length === 0 || texts.length + nulls.length !== anyOf?.length) return schema;
  const values = texts.flatMap((each) => each.enum ?? []);
  return nulls.length === 0 ? { type: 'string', enum: values, ...rest } : { type: ['string', 'null'], enum: [...values, null], ...rest };
}
