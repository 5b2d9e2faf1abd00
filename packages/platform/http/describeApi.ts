import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { Type } from 'typebox';
import { describeInput } from './describeInput.ts';
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

const statusSentences: Record<number, string> = {
  400: 'The request cannot be parsed.',
  401: 'The API key is missing or not valid.',
  403: 'The API key does not have the scope of this route.',
  422: 'The request has invalid values; `errors` lists all of them.',
  429: 'Too many requests; `Retry-After` states when to repeat.',
  503: 'The server is overloaded, shutting down, or has no database; `Retry-After` states when to repeat.',
};

/** Collects the routes in an OpenAPI 3.1 document. Call this function before the first route is added. */
export async function addApiDescription(server: FastifyInstance, version: string, publicUrl: string): Promise<void> {
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
      components: { securitySchemes: { apikey: { type: 'apiKey', in: 'header', name: 'apikey' } } },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => (typeof json.$id === 'string' ? json.$id : `def-${index}`) },
    transform: ({ schema, url, route }) => ({ schema: describeRoute(schema, route as unknown as RouteOptions), url }),
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      for (const operation of Object.values(document.openapiObject.paths ?? {}).flatMap((path) => Object.values(path ?? {}))) relaxBody(operation as Operation);
      return document.openapiObject;
    },
  });
}

/** Adds `/openapi.json` and the try-it page `/docs`, which loads nothing from other hosts. */
export async function addDocumentation(server: FastifyInstance): Promise<void> {
  // Serialized once. The document has more than 100 KB and anybody may request it, so each answer uses the same buffer instead of a copy.
  let description: Buffer | undefined;
  server.get('/openapi.json', {
    config: { scope: null },
    exposeHeadRoute: true,
    schema: { summary: 'This OpenAPI 3.1 description', tags: ['documentation'], response: { 200: Type.Object({}) } },
  }, async (_request, reply) => {
    description ??= Buffer.from(JSON.stringify(server.swagger()));
    return reply.type('application/json; charset=utf-8').send(description);
  });

  await server.register(async (scope) => {
    scope.addHook('onRoute', (route) => { route.config = { ...route.config, scope: null }; });
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.headers(pageHeaders);
      done();
    });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
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
  const problem = { type: 'object', content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } } };
  const statuses = scope === null ? [422, 503] : [400, 401, 403, 422, 429, 503];
  const own = route.config?.ownErrors === true;
  const problems = own ? {} : {
    ...Object.fromEntries(statuses.map((status) => [status, { ...problem, description: statusSentences[status] }])),
    default: { ...problem, description: 'Any other problem; see `code`.' },
  };
  const needs = scope === null ? '' : `Requires the scope \`${scope}\`.${route.config?.operatorOnly === true ? ' Requires a key of the organization `default`.' : ''}`;
  const description = [schema?.description, needs].filter((part) => part !== undefined && part !== '').join('\n\n');
  const described = schema as DescribedSchema | undefined;
  const form = route.config?.form;
  return {
    ...described,
    ...(description === '' ? {} : { description }),
    ...(described?.querystring === undefined ? {} : { querystring: describeInput('query', described.querystring) }),
    ...(described?.body === undefined ? {} : { body: describeInput('body', described.body) }),
    ...(form === undefined ? {} : { body: describeInput('form', form) }),
    ...(scope === null ? {} : { security: [{ apikey: [] }] }),
    ...(route.method === 'POST' && !own ? { headers: idempotencyHeader } : {}),
    response: { ...problems, ...described?.response },
  };
}

interface DescribedSchema extends FastifySchema {
  response?: object;
  querystring?: object;
  body?: object;
}

interface Operation {
  requestBody?: { required?: boolean; content: Record<string, { schema?: { type?: string | string[]; required?: readonly string[] } }> };
}

/** The plug-in marks all bodies as required. A body without required fields may be omitted or null. */
function relaxBody({ requestBody }: Operation): void {
  if (requestBody === undefined) return;
  const schemas = Object.values(requestBody.content).flatMap(({ schema }) => schema ?? []);
  requestBody.required = schemas.some(({ required = [] }) => required.length > 0);
  if (requestBody.required) return;
  for (const schema of schemas) schema.type = ['object', 'null'];
}

const idempotencyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(Type.String({
    description: 'A request that is repeated with the same key within 24 hours returns the first answer and has no second effect.',
    pattern: '^[\\x21-\\x7e]{1,255}$',
  })),
});
