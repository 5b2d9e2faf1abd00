import { comment, describeField, describeSchema, type Schema } from './describeSchema.ts';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const heading = '// Written by npm run docs from docs/openapi.json; edit the routes instead.\n';

/**
 * Returns the generated files of the client, keyed by their names: the schemas as types, and the operations with their parameters and
 * answers. `openapi-typescript` makes such types too, but needs the compiler interface of TypeScript 5, which TypeScript 7 lacks.
 *
 * The client has every operation that answers with JSON, except the routes of signed messages: these routes need headers that a browser
 * does not let a page set, and the node program sends them.
 * @throws Error if an operation has the same parameter in its path, query or body, which one object cannot carry
 */
export function clientSources({ paths, components }: Description): ReadonlyMap<string, string> {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    const { description, ...rest } = schema;
    return `${comment({ description }, '')}export type ${name} = ${describeSchema(rest, '')};\n`;
  });
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).filter(([method, operation]) => method !== 'head' && isCalled(operation)).map(([method, operation]) => ({ path, method, operation })));
  const types = operations.map(({ operation }) => describeOperation(operation));
  const calls = operations.map(({ path, method, operation }) => `  ${operation.operationId}: '${[method.toUpperCase(), path, ...marks(operation)].join(' ')}',\n`);
  return new Map([
    ['schemas.ts', `${heading}\n${schemas.join('\n')}`],
    ['operations.ts', `${heading}import type * as schemas from './schemas.ts';

/** Parameters and answer of each operation, by operationId. */
export interface Operations {
${types.join('')}}

/**
 * Method and path of each operation. \`body\`: the parameters that are not in the path are a JSON body, otherwise the query. \`key\`: takes
 * an Idempotency-Key. \`json\`: answers with CSV unless output_format asks for JSON. \`csv:name\`: each
 * text of this parameter is a CSV record.
 */
export const operations: Readonly<Record<keyof Operations, string>> = {
${calls.join('')}};
`],
  ]);
}

function isCalled({ operationId, parameters = [], responses }: Operation): boolean {
  return answerOf(responses) !== undefined && operationId !== 'getOpenApi' && !operationId.endsWith('Explorer') && !parameters.some((each) => each.in === 'header' && each.required === true);
}

function answerOf(responses: Operation['responses']): Schema | undefined {
  const [, found] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  // An answer that has many media types is a file.
  const content = found?.content ?? {};
  return Object.keys(content).length <= 2 ? content['application/json']?.schema : undefined;
}

const isJsonOnRequest = ({ parameters = [] }: Operation): boolean => parameters.some(({ name }) => name === 'output_format');

/** Whether a text of a parameter is a CSV record, so that a member of a list needs quotes if it contains a comma. Labels, which cannot contain one, have a pattern. */
const isRecord = ({ schema }: Parameter): boolean => schema.anyOf?.some(({ type, items }) => type === 'array' && items?.pattern === undefined) === true;

function marks(operation: Operation): string[] {
  return [
    ...(operation.requestBody === undefined ? [] : ['body']),
    ...(operation.parameters?.some(({ name }) => name === 'Idempotency-Key') === true ? ['key'] : []),
    ...(isJsonOnRequest(operation) ? ['json'] : []),
    ...(operation.parameters ?? []).filter(isRecord).map(({ name }) => `csv:${name}`),
  ];
}

function describeOperation(operation: Operation): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const own = parameters.filter((each) => each.in !== 'header' && !(isJsonOnRequest(operation) && ['output_format', 'csv_safe'].includes(each.name)));
  if (requestBody !== undefined && own.some((each) => each.in === 'query')) throw new Error(`${operationId} has a query and a body`);
  if (new Set(own.map(({ name }) => name)).size < own.length) throw new Error(`${operationId} has one name for two parameters`);
  const fields = own.map(({ name, required = false, description: text, schema }) => describeField(name, { ...schema, description: text ?? schema.description }, required, 'schemas.', '      '));
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const shown = [
    ...(fields.length > 0 ? [`{\n${fields.join('')}    }`] : []),
    ...(body === undefined ? [] : [`NonNullable<${describeSchema(body, 'schemas.', '    ')}>`]),
  ];
  const answer = describeSchema(answerOf(responses) ?? {}, 'schemas.', '    ');
  return `${comment({ description: [`${summary}.`, description ?? ''].join(' ').trim() }, '  ')}  ${operationId}: {\n    parameters: ${shown.join(' & ') || '{}'};\n    answer: ${answer};\n  };\n`;
}
