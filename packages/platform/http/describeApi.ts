import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { Type, type TObject } from 'typebox';
import type { ErrorEntries } from '../errors/problem.ts';
import { compressAnswers } from './compressAnswers.ts';
import { describeInput } from './describeInput.ts';
import { describeProblems, exampleProblems, isRepeatable } from './describeProblems.ts';
import { nameSchemas } from './nameSchemas.ts';
import { pageHeaders } from './securityHeaders.ts';

const Problem = Type.Object({
  type: Type.String({ description: 'URL of the page that explains the code.' }),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String({ description: 'Stable name of the error.' }),
  detail: Type.String({ description: 'The problem, with the value, and how to fix it.' }),
  errors: Type.Optional(Type.Array(Type.Object({
    location: Type.String({ description: 'JSON pointer, `query:name`, `path:name`, `header:name` or `file:name`.' }),
    detail: Type.String(),
    column: Type.Optional(Type.String()),
    row: Type.Optional(Type.Integer()),
    line: Type.Optional(Type.Integer()),
    value: Type.Optional(Type.String()),
  }))),
  request_id: Type.String({ description: 'Id of the request, also in the header `x-request-id` and in the log.' }),
}, { $id: 'Problem', description: 'RFC 9457 problem details.' });

const logo = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="32">' +
  '<text x="0" y="24" font-family="sans-serif" font-size="24" font-weight="bold" fill="#fff">Vouch</text></svg>';

const tags = [
  { name: 'recommender', description: 'Batches of data, trainings of models, and recommendations with reasons.' },
  { name: 'video', description: 'Summaries of videos: preview, segments, storyboard and poster.' },
  { name: 'gateway', description: 'Signed messages of verifier nodes, which the gateway posts on-chain, and the routes of its operator.' },
  { name: 'webhooks', description: 'Callbacks that Vouch sent or will send to your URLs.' },
  { name: 'service', description: 'Health and metrics of the server.' },
  { name: 'documentation', description: 'This description, and the pages of the error codes.' },
];

/**
 * Collects the routes in an OpenAPI 3.1 document. Call this function before the first route is added.
 * @param entries all error catalogues
 */
export async function addApiDescription(server: FastifyInstance, version: string, publicUrl: string, entries: ErrorEntries): Promise<void> {
  const problems = new Map<string, object>();
  server.addSchema(Problem);
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Vouch',
        version,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        description: 'Errors are RFC 9457 problems with a stable `code`; [every code has a page](/docs/errors). ' +
          'In a JSON body, null in an optional field means that the field is absent.',
      },
      // The URL without a host comes first: the try-it page may only call the host that served it, and localhost and 127.0.0.1 are different hosts.
      servers: [{ url: new URL(publicUrl).pathname }, { url: publicUrl }],
      tags,
      components: {
        securitySchemes: { apikey: { type: 'apiKey', in: 'header', name: 'apikey', description: 'An API key; `vouch keys create --scope …` creates one.' } },
        examples: exampleProblems(entries),
      },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => (typeof json.$id === 'string' ? json.$id : `def-${index}`) },
    transform: ({ schema, url, route }) => {
      const options = route as unknown as RouteOptions;
      problems.set(operationKey(options.method, url), options.config?.ownErrors === true ? {} : describeProblems(options, entries));
      return { schema: describeRoute(schema, options), url };
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      completeOperations(document.openapiObject, problems);
      nameSchemas(document.openapiObject);
      removeUnusedExamples(document.openapiObject);
      return document.openapiObject;
    },
  });
}

/** Adds `/openapi.json` and the try-it page `/docs/api`, which loads nothing from other hosts. */
export async function addDocumentation(server: FastifyInstance): Promise<void> {
  await server.register(async (scope) => {
    compressAnswers(scope);
    // Serialized once. The document has more than 100 KB and anybody may request it, so each answer uses the same buffer instead of a copy.
    let description: Buffer | undefined;
    scope.get('/openapi.json', {
      config: { scope: null },
      exposeHeadRoute: true,
      schema: { operationId: 'getOpenApi', summary: 'This OpenAPI 3.1 description', tags: ['documentation'], response: { 200: Type.Object({}) } },
    }, async (_request, reply) => {
      description ??= Buffer.from(JSON.stringify(server.swagger()));
      return reply.type('application/json; charset=utf-8').send(description);
    });
  });

  await server.register(async (scope) => {
    compressAnswers(scope);
    scope.addHook('onRoute', (route) => { route.config = { ...route.config, scope: null }; });
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.headers(pageHeaders);
      done();
    });
    await scope.register(swaggerUi, {
      routePrefix: '/docs/api',
      uiConfig: { docExpansion: 'list', persistAuthorization: true },
      logo: { type: 'image/svg+xml', content: Buffer.from(logo), href: '/docs' },
      theme: { title: 'Vouch' },
      // The plug-in's default policy upgrades requests to https, which fails on a server with plain HTTP.
      staticCSP: {
        'default-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'style-src': ["'self'", "'unsafe-inline'"],
        'base-uri': ["'none'"],
        'frame-ancestors': ["'none'"],
        'object-src': ["'none'"],
      },
    });
  });
}

function describeRoute(schema: FastifySchema | undefined, route: RouteOptions): FastifySchema {
  const scope = route.config?.scope ?? null;
  const needs = scope === null ? '' : `Requires the scope \`${scope}\`.${limitsOf(route)}`;
  const description = [schema?.description, needs].filter((part) => part !== undefined && part !== '').join('\n\n');
  const described = schema as DescribedSchema | undefined;
  const form = route.config?.form;
  return {
    ...described,
    ...(description === '' ? {} : { description }),
    ...(described?.params === undefined ? {} : { params: describeInput('path', described.params) }),
    ...(described?.querystring === undefined ? {} : { querystring: describeInput('query', described.querystring) }),
    ...(described?.body === undefined ? {} : { body: describeInput('body', described.body) }),
    ...(form === undefined ? {} : { body: describeInput('form', form) }),
    security: described?.security ?? (scope === null ? [] : [{ apikey: [] }]),
    ...(isRepeatable(route) ? { headers: Type.Object({ ...described?.headers?.properties, ...idempotencyHeader }) } : {}),
  };
}

function limitsOf({ config }: RouteOptions): string {
  if (config?.operatorOnly === true) return ' Requires a key of the organization `default`.';
  return config?.forPages === true ? ' Publishable keys (scope `recommend:publish`) may call the route with limits.' : '';
}

interface DescribedSchema extends FastifySchema {
  response?: object;
  querystring?: object;
  params?: object;
  body?: object;
  headers?: TObject;
}

interface Operation {
  operationId?: string;
  responses: Record<string, { description: string }>;
  requestBody?: { required?: boolean; content: Record<string, { schema?: { type?: string | string[]; required?: readonly string[] } }> };
}

function operationKey(method: RouteOptions['method'], url: string): string {
  return `${[method].flat()[0]?.toLowerCase()} ${url.replaceAll(/:(\w+)/g, '{$1}')}`;
}

const answerSentences: Readonly<Record<string, string>> = {
  200: 'The request succeeded.',
  201: 'Stored.',
  202: 'Accepted; the work continues after the answer.',
  400: 'Refused; the body states why.',
  503: 'Not available at the moment; the body states why.',
};

/** Adds what the plug-in does not know: problems of each route, sentences of answers, bodies that may be omitted, and ids of HEAD. */
function completeOperations({ paths = {} }: { paths?: object }, problems: ReadonlyMap<string, object>): void {
  for (const [path, methods] of Object.entries(paths) as [string, Record<string, Operation>][]) {
    const { get, head } = methods;
    // The plug-in appends "-head" to the id of a HEAD route.
    if (head !== undefined) methods['head'] = { ...head, operationId: get?.operationId?.replace(/^get|^/, 'head') ?? head.operationId?.replace(/-head$/, '') ?? 'head' };
    for (const [method, operation] of Object.entries(methods)) {
      relaxBody(operation);
      const answers = Object.entries(operation.responses).map(([status, response]) => [status, describeAnswer(status, response)] as const);
      operation.responses = { ...(problems.get(`${method} ${path}`) ?? problems.get(`get ${path}`)), ...Object.fromEntries(answers) };
    }
  }
}

/** Removes the examples of codes that no operation refers to: codes of jobs, and of signed messages, which have another form. */
function removeUnusedExamples({ paths, components }: { paths?: object; components?: { examples?: Record<string, unknown> } }): void {
  const text = JSON.stringify(paths);
  for (const name of Object.keys(components?.examples ?? {})) if (!text.includes(`"#/components/examples/${name}"`)) delete components?.examples?.[name];
}

function describeAnswer(status: string, response: Operation['responses'][string]): Operation['responses'][string] {
  const description = response.description === 'Default Response' ? answerSentences[status] : undefined;
  return description === undefined ? response : { ...response, description };
}

/** The plug-in marks all bodies as required. A body without required fields may be omitted or null. */
function relaxBody({ requestBody }: Operation): void {
  if (requestBody === undefined) return;
  const schemas = Object.values(requestBody.content).flatMap(({ schema }) => schema ?? []);
  requestBody.required = schemas.some(({ required = [] }) => required.length > 0);
  if (requestBody.required) return;
  for (const schema of schemas) schema.type = ['object', 'null'];
}

const idempotencyHeader = {
  'Idempotency-Key': Type.Optional(Type.String({
    description: 'A request that is repeated with the same key within 24 hours returns the first answer and has no second effect.',
    pattern: '^[\\x21-\\x7e]{1,255}$',
  })),
};
