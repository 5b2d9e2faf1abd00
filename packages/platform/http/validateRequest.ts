import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { TObject } from 'typebox';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import { compileReader, type Reading, type RequestPart } from './readParameters.ts';

type Reader = ReturnType<typeof compileReader>;
export type Readers = Partial<Record<RequestPart, Reader>>;

const noParameters: TObject = { type: 'object', properties: {}, required: [] } as unknown as TObject;

/**
 * Validates path, query and body of each route with its TypeBox schemas, all together, so that one answer contains all faults. A route without a
 * query schema accepts no query parameters. A route that reads its body itself has no body schema.
 */
export function addValidation(server: FastifyInstance): void {
  // Fastify validates one part after the other and stops at the first fault, so its validation is disabled.
  server.setValidatorCompiler(() => () => true);
  // Answers are built from typed values. A response schema would silently drop fields that it does not name; JSON.stringify does not.
  server.setSerializerCompiler(() => JSON.stringify);
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, readers: compileRoute(route) };
  });
  server.addHook('preValidation', (request, _reply, done) => {
    const readers = request.routeConfig?.readers;
    if (readers !== undefined) parseRequest(request, readers);
    done();
  });
}

function compileRoute(route: RouteOptions): Readers {
  const { params, querystring, body, hide } = (route.schema ?? {}) as {
    params?: TObject; querystring?: TObject; body?: TObject; hide?: boolean;
  };
  const readers: Readers = {};
  if (params !== undefined) readers.params = compileReader('params', params);
  // Hidden routes serve the files of the documentation page, whose URLs have cache-busting queries.
  if (hide !== true) readers.query = compileReader('query', querystring ?? noParameters);
  if (body !== undefined) readers.body = compileReader('body', body);
  return readers;
}

function parseRequest(request: FastifyRequest, readers: Readers): void {
  const params = readers.params?.(request.params);
  const query = readers.query?.(request.query);
  const body = readers.body?.(request.body);
  const readings = [params, query, body].filter((reading) => reading !== undefined);
  if (readings.some(({ unknown, invalid }) => unknown.length + invalid.length > 0)) throw faultsOf(readings);
  if (params !== undefined) request.params = params.value;
  if (query !== undefined) request.query = query.value;
  if (body !== undefined) request.body = body.value;
}

function faultsOf(readings: readonly Reading[]): Problem {
  const unknown = readings.flatMap((reading) => reading.unknown);
  const errors = [...unknown, ...readings.flatMap((reading) => reading.invalid)];
  const detail = errors.length === 1
    ? (errors[0]?.detail ?? '')
    : `${errors[0]?.detail} ${errors.length - 1} more in \`errors\`.`;
  // A misspelt name often also causes a missing value, so the misspelt name decides the code.
  return platformErrors.problem(unknown.length > 0 ? 'unknown-parameter' : 'invalid-parameter', detail, { errors });
}
