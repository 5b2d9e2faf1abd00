import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { TObject } from 'typebox';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import { compileReader, type Reading, type RequestPart } from './readParameters.ts';

type Reader = ReturnType<typeof compileReader>;
export type Readers = Partial<Record<RequestPart, Reader>>;

const noParameters: TObject = { type: 'object', properties: {}, required: [] } as unknown as TObject;

/**
 * Validates path, query and body of every route by its TypeBox schemas, all together, so that one answer names every fault.
 * A route without a query schema takes no query parameter. Routes that read their body themselves give no body schema.
 */
export function addValidation(server: FastifyInstance): void {
  // The framework validates part by part and stops at the first one with a fault; ours replaces it.
  server.setValidatorCompiler(() => () => true);
  // Answers are built from our own types: JSON.stringify is exact where a second schema would drop fields silently.
  server.setSerializerCompiler(() => JSON.stringify);
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, readers: compileRoute(route) };
  });
  server.addHook('preValidation', (request, _reply, done) => {
    const readers = request.routeConfig?.readers;
    if (readers !== undefined) readRequest(request, readers);
    done();
  });
}

function compileRoute(route: RouteOptions): Readers {
  const { params, querystring, body, hide } = (route.schema ?? {}) as {
    params?: TObject; querystring?: TObject; body?: TObject; hide?: boolean;
  };
  const readers: Readers = {};
  if (params !== undefined) readers.params = compileReader('params', params);
  // Hidden routes serve files of the documentation page, whose addresses carry cache-busting queries.
  if (hide !== true) readers.query = compileReader('query', querystring ?? noParameters);
  if (body !== undefined) readers.body = compileReader('body', body);
  return readers;
}

function readRequest(request: FastifyRequest, readers: Readers): void {
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
  // A misspelt name is most often the cause of the missing value beside it, so it gives the code.
  return platformErrors.problem(unknown.length > 0 ? 'unknown-parameter' : 'invalid-parameter', detail, { errors });
}
