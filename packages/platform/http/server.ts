import type { Tracer } from '@opentelemetry/api';
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import type { ErrorCatalogue, ErrorEntries } from '../errors/problem.ts';
import type { Logger } from '../log/logger.ts';
import type { Identity } from '../keys/identity.ts';
import { isPublishable, type Scope } from '../keys/scopes.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { answerProblem } from './answerProblem.ts';
import { checkHost } from './checkHost.ts';
import { answerClientError } from './clientError.ts';
import { trustProxies } from './clientAddress.ts';
import { countWork } from './countWork.ts';
import { addCrossOrigin } from './crossOrigin.ts';
import { addApiDescription, addDocumentation } from './describeApi.ts';
import { addErrorPages } from './errorPages.ts';
import { Idempotency } from './idempotency.ts';
import type { FindEnded } from './refuseKey.ts';
import { identify, requireOperator, type Authenticate, type Credentials } from './identity.ts';
import { KeyBrake } from './keyBrake.ts';
import { addMeasures } from './measure.ts';
import { addOpenRoutes, alwaysAnswered } from './openRoutes.ts';
import { RateLimit, senderOf, type Allowance, type Sender } from './rateLimit.ts';
import { requestLogger } from './requestLogger.ts';
import { measureReadiness, Readiness, type ReadinessCheck } from './readiness.ts';
import { addBodyRules, checkAnnouncedLength, hasBody, lingerAfterRefusal } from './receiveBody.ts';
import './request.ts';
import { RouteTable } from './routeTable.ts';
import { securityHeaders } from './securityHeaders.ts';
import { addSessionRoutes, type Sessions } from './sessionRoutes.ts';
import { StreamedAnswers } from './streamedAnswers.ts';
import { traceRequests } from './traceRequests.ts';
import { Traffic, type TrafficLimits } from './traffic.ts';
import { noSender, Turns } from './turns.ts';
import { addValidation } from './validateRequest.ts';
import { WaitingConnections, type ConnectionLimits } from './waitingConnections.ts';
import { whenKnown } from './whenKnown.ts';

/** Limits of the HTTP server. */
interface ServerLimits extends TrafficLimits, ConnectionLimits {
  /** Time in ms within which the headers of a request must arrive. */
  headersTimeoutMs: number;
  /** Longest pause in ms while a streamed body arrives. */
  bodyIdleTimeoutMs: number;
  /** Upper bound for answers streamed at the same time. */
  maxStreams: number;
  /** Largest body in bytes for routes without their own limit. */
  maxBodyBytes: number;
}

const defaultLimits: ServerLimits = {
  maxInFlight: 1_000,
  maxEventLoopDelayMs: 1_000,
  drainTimeoutMs: 30_000,
  drainIdleMs: 1_000,
  headersTimeoutMs: 15_000,
  bodyTimeoutMs: 30_000,
  bodyIdleTimeoutMs: 30_000,
  maxWaitingPerAddress: 1_024,
  maxWaiting: 4_096,
  idleTimeoutMs: 90_000,
  unreadTimeoutMs: 600_000,
  maxStreams: 1_000,
  maxBodyBytes: 1024 * 1024,
};

export interface ServerOptions {
  system: SystemInterfaces;
  log: Logger;
  database: Database;
  metrics: Registry;
  /** Records requests, if the process sends traces. */
  tracer?: Tracer | null;
  /** Public URL without a slash at the end, for links. */
  publicUrl: string;
  /** Version of the program, for the OpenAPI document. */
  version: string;
  authenticate: Authenticate;
  /** Finds the end of a refused key, for the answer; without it, every refused key is called unknown. */
  findEnded?: FindEnded;
  /** The sessions of the console; without them, every request needs a key. */
  sessions?: Sessions;
  /** IP addresses and ranges of reverse proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies?: readonly string[];
  /** Origins of web pages that may call the routes for web pages; empty for none. */
  corsOrigins?: readonly string[];
  /** Requests per minute and organization, and per minute and publishable key; 0 for no limit. */
  rateLimitPerMinute: number;
  readiness: readonly ReadinessCheck[];
  /** Error catalogues of the products. The platform's own catalogue is always included. */
  errors: readonly ErrorCatalogue[];
  /** Functions that add the routes of each product. Each runs in its own Fastify scope, so that its parsers and hooks apply to its routes only. */
  routes: readonly ((server: FastifyInstance) => void | Promise<void>)[];
  limits?: Partial<ServerLimits>;
}

/** Upper bound in bytes for the request line and headers together. */
const maxHeaderBytes = 64 * 1024;
const sweepIntervalMs = 60_000;

/**
 * Creates the HTTP server with all its routes, ready to listen.
 * @throws Error if a route has no scope setting, or an error code is in two catalogues
 * @example
 * const server = await createServer({
 *   system, log, database, metrics, publicUrl, version, authenticate, rateLimitPerMinute: 60_000, readiness: [], errors: [], routes,
 * });
 * await server.listen({ host: '127.0.0.1', port: 8080 });
 */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { system, log, publicUrl } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const trusted = trustProxies(options.trustedProxies ?? []);
  const server: FastifyInstance = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    childLoggerFactory: requestLogger,
    genReqId: () => system.random.uuid(),
    // measure.ts writes the only log line of each request.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: limits.maxBodyBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    return503OnClosing: false,
    // A path parameter may be as long as the whole header limit, so the handler gets each identifier and answers long ones with its own message.
    routerOptions: { maxParamLength: maxHeaderBytes },
    trustProxy: (address) => trusted(address),
    // The parser has no time limit for the whole request, because an upload may take long. WaitingConnections limits the other requests.
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    http: {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      // Otherwise Node answers a request without Host itself, and not with a problem. checkHost() rejects such requests.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    },
    clientErrorHandler: answerClientError(system, log, publicUrl),
    frameworkErrors: (error, request, reply) => answerProblem(error, request, reply, publicUrl),
  });

  const table = new RouteTable();
  const idempotency = new Idempotency(options.database, system.clock);
  server.decorateRequest('identity', null as unknown as Identity);
  server.decorateRequest('routeConfig', null);
  server.decorateRequest('problemCode', null);
  server.decorateRequest('sender', noSender);
  server.decorateRequest('countedFor', null);
  server.decorateRequest('hasPlace', false);
  const tracer = options.tracer ?? null;
  traceRequests(server, tracer, alwaysAnswered);
  server.decorate('idempotency', idempotency);
  server.decorate('routeTable', () => table.entries());
  server.addHook('onRoute', (route) => table.add(route));
  server.addHook('onReady', async () => table.check());

  const turns = new Turns({ connectionsInUse: () => options.database.connectionsInUse(), elapsedMs: system.elapsedMs });
  server.decorate('turns', turns);
  const traffic = await Traffic.watch(server, system, limits, turns);
  server.decorate('drain', () => traffic.drain());
  const lookEveryMs = Math.min(1_000, limits.bodyTimeoutMs / 2, limits.idleTimeoutMs / 2);
  const connections = new WaitingConnections(limits, lookEveryMs, trusted);
  connections.watch(server.server);
  const streams = new StreamedAnswers(limits.maxStreams, system);
  const brake = new KeyBrake(system, log);
  const credentials: Credentials = { authenticate: options.authenticate, authenticateSession: options.sessions?.authenticate, brake, findEnded: options.findEnded };
  const authenticate: Admission['authenticate'] = (request, scope) => identify(request, scope, credentials);
  const rateLimit = new RateLimit(options.database, system.clock, log, options.rateLimitPerMinute);
  // Added before the validation, because validating a body is counted work.
  countWork(server, { traffic, turns, connections, streams });
  addValidation(server);
  addBodyRules(server, connections, limits);
  addMeasures(server, log, options.metrics, { traffic, connections, streams, brake });
  answerErrors(server, system, publicUrl);
  // Added before the admission, because web pages must be able to read why a request was refused.
  addCrossOrigin(server, options.corsOrigins ?? []);
  admitRequests(server, { traffic, table, authenticate, rateLimit });

  await addApiDescription(server, options.version, publicUrl, Object.assign({}, platformErrors.entries, ...options.errors.map(({ entries }) => entries)) as ErrorEntries);
  const readiness = new Readiness(options.readiness, system, log);
  measureReadiness(options.metrics, readiness);
  addOpenRoutes(server, { readiness, traffic, metrics: options.metrics, credentials, traces: tracer !== null });
  addErrorPages(server, options.errors);
  await addDocumentation(server);
  if (options.sessions !== undefined) {
    addSessionRoutes(server, { ...credentials, sessions: options.sessions, version: options.version, secure: publicUrl.startsWith('https:') });
  }
  for (const routes of options.routes) await server.register(async (scope) => { await routes(scope); });
  repeat(server, system, sweepIntervalMs, () => idempotency.sweep().catch((error: unknown) => log.warn({ err: error }, 'expired idempotency keys could not be removed')));
  repeat(server, system, lookEveryMs, () => connections.closeLate());
  await server.ready();
  return server;
}

function answerErrors(server: FastifyInstance, system: SystemInterfaces, publicUrl: string): void {
  server.setErrorHandler((failure, request, reply) => {
    answerProblem(failure, request, reply, publicUrl);
    lingerAfterRefusal(system, request, reply);
  });
  // For routes that search further and find nothing, e.g. files. admitRequests() already answers unknown paths.
  server.setNotFoundHandler(async () => {
    throw platformErrors.problem('not-found', 'No route has this path. /docs/api lists every route.');
  });
}

interface Admission {
  traffic: Traffic;
  table: RouteTable;
  authenticate(request: FastifyRequest, scope: Scope): Identity | Promise<Identity>;
  rateLimit: RateLimit;
}

/** Checks each request before its handler, in this order. No byte of the body has been read yet. */
function admitRequests(server: FastifyInstance, { traffic, table, authenticate, rateLimit }: Admission): void {
  /** Checks key, scope and rate limit. Returns a promise only if the key is not cached or a share of the limit must be leased. */
  const admitKey = (request: FastifyRequest, reply: FastifyReply, scope: Scope): void | Promise<void> =>
    whenKnown(authenticate(request, scope), (identity) => {
      request.identity = identity;
      request.sender = isPublishable(identity.scopes, scope) ? `${identity.organizationId} pages` : identity.organizationId;
      if (request.routeConfig?.operatorOnly === true) requireOperator(identity);
      const sender = senderOf(identity, scope);
      return whenKnown(rateLimit.take(sender.id), (allowance) => respectLimit(reply, allowance, sender));
    });
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(securityHeaders);
    traffic.follow(request, reply);
    checkHost(request);
    const { url = '', config, bodyLimit } = request.routeOptions;
    request.routeConfig = config;
    const counted = !alwaysAnswered.has(url);
    if (counted) traffic.admit(request);
    if (request.is404) throw notFound(request, table);
    if (counted) traffic.begin(request);
    const admitBody = (): void => {
      if (counted) traffic.claim(request);
      checkAnnouncedLength(request, bodyLimit);
      if (hasBody(request)) traffic.answered(request);
    };
    const admitted = typeof config.scope === 'string' ? admitKey(request, reply, config.scope) : undefined;
    if (admitted !== undefined) return admitted.then(admitBody);
    admitBody();
    return done();
  });
}

function notFound(request: FastifyRequest, table: RouteTable): Error {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = table.methodsAt(path);
  if (methods.length === 0) {
    const nearest = table.nearest(path);
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`;
    return platformErrors.problem('not-found', `No route has the path ${path.slice(0, 200)}.${hint} /docs/api lists every route.`);
  }
  const allow = methods.join(', ');
  return platformErrors.problem('method-not-allowed', `${path.slice(0, 200)} does not support ${request.method}; it supports ${allow}.`, { headers: { allow } });
}

function respectLimit(reply: FastifyReply, allowance: Allowance | null, sender: Sender): void {
  if (allowance === null) return;
  const { allowed, limit, remaining, resetSeconds } = allowance;
  reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': resetSeconds });
  if (allowed) return;
  throw platformErrors.problem('rate-limited', `The ${sender.kind} can send ${limit} requests per minute. Repeat the request in ${resetSeconds} seconds.`, {
    headers: { 'retry-after': String(resetSeconds) },
  });
}

/** Calls `work` every `everyMs` ms until the server closes. */
function repeat(server: FastifyInstance, system: SystemInterfaces, everyMs: number, work: () => unknown): void {
  const stop = new AbortController();
  server.addHook('onClose', async () => stop.abort());
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await system.timers.sleep(everyMs, stop.signal);
      if (!stop.signal.aborted) await work();
    }
  };
  void run();
}
