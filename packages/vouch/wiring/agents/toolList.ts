/** The parts of the OpenAPI description that tools are made of. */
export interface ApiDescription {
  paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  components?: { schemas?: Readonly<Record<string, JsonSchema>> };
}

export type JsonSchema = Readonly<Record<string, unknown>>;

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: readonly { name: string; in: string; required?: boolean; description?: string; schema?: JsonSchema }[];
  requestBody?: { content?: Readonly<Record<string, { schema?: JsonSchema }>> };
  security?: readonly unknown[];
}

/** A tool of the Model Context Protocol, and the request that it stands for. */
export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the arguments: parameters of path and query, and the fields of the body. */
  inputSchema: JsonSchema & { properties: Readonly<Record<string, JsonSchema>>; required: readonly string[] };
  annotations: { title: string; readOnlyHint: boolean; destructiveHint: boolean };
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query: readonly string[];
  /** Parameters of which each text is a CSV record, so that a member of a list needs quotes if it contains a comma. */
  records: readonly string[];
  /** Whether the route has several formats, of which a tool takes JSON. */
  choosesFormat: boolean;
}

/** Keys are secrets, which must not pass through a model; a model cannot send or read files; pages and metrics have other readers. */
const withoutTool = new Set(['createKey', 'revokeKey', 'createUpload', 'deleteUpload', 'getArtifact', 'getOpenApi', 'getHealth', 'getReadiness', 'getMetrics', 'listErrorCodes', 'getErrorCode', 'getIndex']);
/** Without the entity, these answer with the lists of the whole catalogue. */
const needsEntity = new Set(['relatedItems']);
/** Formats for other readers: a tool answers in JSON. */
const fixedParameters = new Set(['output_format', 'csv_safe']);

/**
 * Makes one tool per operation with a JSON body or without a body. Signed messages of node operators have none, because only a node's key can sign
 * them.
 * @param api the OpenAPI description of the server
 */
export function listTools(api: ApiDescription): Tool[] {
  return Object.entries(api.paths ?? {}).flatMap(([path, methods]) => Object.entries(methods).flatMap(([method, value]) => {
    const operation = value as Operation;
    const known = /^(?:get|post|put|delete)$/.test(method);
    if (!known || operation.operationId === undefined || withoutTool.has(operation.operationId) || path.startsWith('/explorer')) return [];
    const content = operation.requestBody?.content;
    const body = content?.['application/json']?.schema;
    return content !== undefined && body === undefined ? [] : [makeTool(api, path, method.toUpperCase() as Tool['method'], operation.operationId, operation, body)];
  }));
}

function makeTool(api: ApiDescription, path: string, method: Tool['method'], id: string, operation: Operation, body: JsonSchema | undefined): Tool {
  const parameters = (operation.parameters ?? []).filter(({ in: place, name }) => place !== 'header' && !fixedParameters.has(name));
  const fields = body === undefined ? {} : (resolve(api, body) as { properties?: Record<string, JsonSchema>; required?: readonly string[] });
  const properties = {
    ...Object.fromEntries(parameters.map(({ name, schema = {}, description }) => [name, { ...schema, ...(description === undefined ? {} : { description }) }])),
    ...fields.properties,
  };
  const required = [...parameters.filter((parameter) => parameter.required === true).map(({ name }) => name), ...(fields.required ?? []), ...(needsEntity.has(id) ? ['entity_id'] : [])];
  const changes = method !== 'GET' || id.startsWith('cancel');
  return {
    name: id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: [operation.summary, operation.description].filter((text) => text !== undefined && text !== '').join('. '),
    inputSchema: { type: 'object', properties, required: [...new Set(required)], additionalProperties: false, ...definitionsOf(api, properties) },
    annotations: { title: operation.summary ?? id, readOnlyHint: !changes, destructiveHint: method === 'DELETE' },
    method, path,
    query: parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name),
    records: parameters.filter(({ schema }) => isRecord(schema)).map(({ name }) => name),
    choosesFormat: (operation.parameters ?? []).some(({ name }) => name === 'output_format'),
  };
}

/** Labels, which cannot contain a comma, have a pattern. */
function isRecord(schema: JsonSchema | undefined): boolean {
  const forms = (schema?.['anyOf'] ?? []) as { type?: string; items?: JsonSchema }[];
  return forms.some(({ type, items }) => type === 'array' && items?.['pattern'] === undefined);
}

const reference = /^#\/components\/schemas\/(.+)$/;

function resolve(api: ApiDescription, schema: JsonSchema): JsonSchema {
  // A body that may be null is a choice of its schema and null.
  const [only] = (schema['anyOf'] as JsonSchema[] | undefined)?.filter(({ type }) => type !== 'null') ?? [];
  if (only !== undefined) return resolve(api, only);
  const name = reference.exec(String(schema['$ref'] ?? ''))?.[1];
  return name === undefined ? schema : resolve(api, api.components?.schemas?.[name] ?? {});
}

/** A tool has no other document to refer to, so it carries the schemas that its arguments refer to. */
function definitionsOf(api: ApiDescription, properties: Readonly<Record<string, JsonSchema>>): { $defs?: Record<string, JsonSchema> } {
  const found: Record<string, JsonSchema> = {};
  const collect = (value: unknown): void => {
    for (const match of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      const name = match[1]!;
      if (name in found) continue;
      found[name] = api.components?.schemas?.[name] ?? {};
      collect(found[name]);
    }
  };
  collect(properties);
  return Object.keys(found).length === 0 ? {} : { $defs: found };
}

/** Replaces references to the description by references to the tool's own definitions. */
export function describeTool({ name, description, inputSchema, annotations }: Tool): JsonSchema {
  return JSON.parse(JSON.stringify({ name, description, inputSchema, annotations }).replaceAll('"#/components/schemas/', '"#/$defs/')) as JsonSchema;
}
