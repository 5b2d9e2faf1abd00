import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import type { ErrorCatalogue } from '../errors/problem.ts';
import type { Logger } from '../log/logger.ts';
import type { Scope } from '../keys/scopes.ts';
import type { Doors } from '../process/doors.ts';
import { answerProblem } from './answerProblem.ts';
import { answerClientError } from './clientError.ts';
import { addApiDescription, addDocumentation } from './describeApi.ts';
import { addErrorPages } from './errorPages.ts';
import { Idempotency } from './idempotency.ts';
import { identify, type Authenticate, type Identity } from './identity.ts';
import { addMeasures } from './measure.ts';
import { addOpenRoutes, alwaysAnswered } from './openRoutes.ts';
import { RateLimit, type Allowance } from './rateLimit.ts';
import { requestLogger } from './requestLogger.ts';
import { Readiness, type ReadinessCheck } from './readiness.ts';
import { addBodyRules, checkAnnouncedLength, lingerAfterRefusal } from './receiveBody.ts';
import './request.ts';
import { RouteTable } from './routeTable.ts';
import { securityHeaders } from './securityHeaders.ts';
import { Traffic, type TrafficLimits } from './traffic.ts';
import { addValidation } from './validateRequest.ts';
import { whenKnown } from './whenKnown.ts';

export interface ServerLimits extends TrafficLimits {
  /** How long the headers of a request may take. */
  headersTimeoutMs: number;
  /** Longest silence while a body arrives. */
  bodyIdleTimeoutMs: number;
  /** Largest body of a route that states no limit of its own, in bytes. */
  bodyBytesMax: number;
}

export const defaultLimits: ServerLimits = {
  maximumInFlight: 1_000,
  eventLoopDelayMsMax: 1_000,
  drainTimeoutMs: 30_000,
  headersTimeoutMs: 15_000,
  bodyIdleTimeoutMs: 30_000,
  bodyBytesMax: 1024 * 1024,
};

export interface ServerOptions {
  doors: Doors;
  log: Logger;
  database: Database;
  metrics: Registry;
  /** Public address without a slash at its end, for links. */
  publicUrl: string;
  /** Version of the program, for the description of the interface. */
  version: string;
  authenticate: Authenticate;
  /** Requests per minute and organization; 0 for no limit. */
  rateLimitPerMinute: number;
  readiness: readonly ReadinessCheck[];
  /** Catalogues of the products; the platform's own is always there. */
  errors: readonly ErrorCatalogue[];
  /** What adds the routes of each product; each runs in a scope of its own, so that its parsers and hooks stay there. */
  routes: readonly ((server: FastifyInstance) => void | Promise<void>)[];
  limits?: Partial<ServerLimits>;
}

/** Request line and headers together. */
const headerBytesMax = 64 * 1024;
const sweepIntervalMs = 60_000;

/**
 * Builds the HTTP server with all its routes, ready to listen.
 * @throws Error where a route does not state its scope or an error code is in two catalogues
 */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { doors, log, publicUrl } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const server: FastifyInstance = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    childLoggerFactory: requestLogger,
    genReqId: () => doors.random.uuid(),
    // measure.ts writes the one line of each request.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: limits.bodyBytesMax,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    return503OnClosing: false,
    // The whole path fits the header limit, so every identifier reaches its handler and gets a sentence there.
    routerOptions: { maxParamLength: headerBytesMax },
    // No bound on the whole request: an upload may take long. Silence is bounded instead.
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    http: {
      maxHeaderSize: headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      // Otherwise Node answers a request without Host itself, without a problem.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    },
    clientErrorHandler: answerClientError(doors, log, publicUrl),
    frameworkErrors: (error, request, reply) => answerProblem(error, request, reply, publicUrl),
  });

  const table = new RouteTable();
  const idempotency = new Idempotency(options.database, doors.clock);
  server.decorateRequest('identity', null as unknown as Identity);
  server.decorateRequest('routeConfig', null);
  server.decorateRequest('problemCode', null);
  server.decorate('idempotency', idempotency);
  server.decorate('routeTable', () => table.entries());
  server.addHook('onRoute', (route) => table.add(route));
  server.addHook('onReady', async () => table.check());

  const traffic = await Traffic.watch(server, doors, limits);
  server.decorate('drain', () => traffic.drain());
  addValidation(server);
  addBodyRules(server, limits.bodyIdleTimeoutMs);
  addMeasures(server, log, options.metrics, traffic);
  answerErrors(server, doors, publicUrl);
  admitRequests(server, traffic, table, options.authenticate, new RateLimit(options.database, doors.clock, log, options.rateLimitPerMinute));

  await addApiDescription(server, options.version, publicUrl);
  addOpenRoutes(server, new Readiness(options.readiness, doors, log), traffic, options.metrics, options.authenticate);
  addErrorPages(server, options.errors);
  await addDocumentation(server);
  for (const routes of options.routes) await server.register(async (scope) => { await routes(scope); });
  sweepIdempotency(server, idempotency, doors);
  await server.ready();
  return server;
}

function answerErrors(server: FastifyInstance, doors: Doors, publicUrl: string): void {
  server.setErrorHandler((failure, request, reply) => {
    answerProblem(failure, request, reply, publicUrl);
    lingerAfterRefusal(doors, request, reply);
  });
  // For routes that look further and find nothing, as for files; admitRequests() answers unknown addresses before that.
  server.setNotFoundHandler(async () => {
    throw platformErrors.problem('not-found', 'Nothing is at this address. /docs lists every route.');
  });
}

/** What stands before every handler, in this order; nothing of the body has been read yet. */
function admitRequests(
  server: FastifyInstance, traffic: Traffic, table: RouteTable, authenticate: Authenticate, rateLimit: RateLimit,
): void {
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(securityHeaders);
    traffic.count(reply);
    const { url = '', config, bodyLimit } = request.routeOptions;
    request.routeConfig = config;
    if (!alwaysAnswered.has(url)) traffic.admit();
    if (request.is404) throw notFound(request, table);
    const admitted = typeof config.scope === 'string' ? admitKey(request, reply, config.scope, authenticate, rateLimit) : undefined;
    if (admitted !== undefined) return admitted.then(() => checkAnnouncedLength(request, bodyLimit));
    checkAnnouncedLength(request, bodyLimit);
    return done();
  });
}

/** Key, scope and rate limit; a promise only where the key is not remembered or a share of the limit has to be leased. */
function admitKey(
  request: FastifyRequest, reply: FastifyReply, scope: Scope, authenticate: Authenticate, rateLimit: RateLimit,
): void | Promise<void> {
  return whenKnown(identify(request, scope, authenticate), (identity) => {
    request.identity = identity;
    return whenKnown(rateLimit.take(identity.organizationId), (allowance) => respectLimit(reply, allowance));
  });
}

function notFound(request: FastifyRequest, table: RouteTable): Error {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = table.methodsAt(path);
  if (methods.length === 0) {
    return platformErrors.problem('not-found', `No route has the path ${path.slice(0, 200)}. /docs lists every route.`);
  }
  const allow = methods.join(', ');
  return platformErrors.problem('method-not-allowed', `${path.slice(0, 200)} does not take ${request.method}; it takes ${allow}.`, { headers: { allow } });
}

function respectLimit(reply: FastifyReply, allowance: Allowance | null): void {
  if (allowance === null) return;
  const { allowed, limit, remaining, resetSeconds } = allowance;
  reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': resetSeconds });
  if (allowed) return;
  throw platformErrors.problem('rate-limited', `The organization may send ${limit} requests a minute; repeat this one in ${resetSeconds} seconds.`, {
    headers: { 'retry-after': String(resetSeconds) },
  });
}

/** Removes old idempotency records once a minute, a bounded number at a time. */
function sweepIdempotency(server: FastifyInstance, idempotency: Idempotency, doors: Doors): void {
  const stop = new AbortController();
  server.addHook('onClose', async () => stop.abort());
  const sweep = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await doors.timers.sleep(sweepIntervalMs, stop.signal);
      if (stop.signal.aborted) return;
      await idempotency.sweep().catch((error: unknown) => server.log.warn({ err: error }, 'old idempotency keys were not removed'));
    }
  };
  void sweep();
}
