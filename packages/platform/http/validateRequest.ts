import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { TObject } from 'typebox';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import { compileParser, type ParsedPart, type RequestPart } from './parseParameters.ts';

type PartParser = ReturnType<typeof compileParser>;
export type PartParsers = Partial<Record<RequestPart, PartParser>>;

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
    route.config = { ...route.config, parsers: compileRoute(route) };
  });
  server.addHook('preValidation', (request, _reply, done) => {
    const parsers = request.routeConfig?.parsers;
    if (parsers !== undefined) parseRequest(request, parsers);
    done();
  });
}

function compileRoute(route: RouteOptions): PartParsers {
  const { params, querystring, body, hide } = (route.schema ?? {}) as {
    params?: TObject; querystring?: TObject; body?: TObject; hide?: boolean;
  };
  const parsers: PartParsers = {};
  if (params !== undefined) parsers.params = compileParser('params', params);
  // Hidden routes serve the files of the documentation page, whose URLs have cache-busting queries.
  if (hide !== true) parsers.query = compileParser('query', querystring ?? noParameters, body);
  if (body !== undefined) parsers.body = compileParser('body', body);
  return parsers;
}

function parseRequest(request: FastifyRequest, parsers: PartParsers): void {
  const params = parsers.params?.(request.params);
  const query = parsers.query?.(request.query);
  const body = parsers.body?.(request.body);
  const parts = [params, query, body].filter((part) => part !== undefined);
  if (parts.some(({ unknown, invalid }) => unknown.length + invalid.length > 0)) throw faultsOf(parts);
  if (params !== undefined) request.params = params.value;
  if (query !== undefined) request.query = query.value;
  if (body !== undefined) request.body = body.value;
}

function faultsOf(parts: readonly ParsedPart[]): Problem {
  const unknown = parts.flatMap((part) => part.unknown);
  const errors = [...unknown, ...parts.flatMap((part) => part.invalid)];
  const detail = errors.length === 1
    ? (errors[0]?.detail ?? '')
    : `${errors[0]?.detail} ${errors.length - 1} more in \`errors\`.`;
  // A misspelt name often also causes a missing value, so the misspelt name decides the code.
  return platformErrors.problem(unknown.length > 0 ? 'unknown-parameter' : 'invalid-parameter', detail, { errors });
}
