import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { TObject } from 'typebox';
import type { Scope } from '../keys/scopes.ts';
import type { Idempotency } from './idempotency.ts';
import type { Identity } from './identity.ts';
import type { RouteEntry } from './routeTable.ts';
import type { Readers } from './validateRequest.ts';

export type RouteConfig = FastifyRequest['routeOptions']['config'];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scope the key must have; null for a route that is open to everybody. A route without it stops the start. */
    scope?: Scope | null;
    /** Only keys of the operator's organization may call the route: it changes what all organizations use. */
    operatorOnly?: boolean;
    /** Fields of a form that the route reads itself, for the description of the interface; nothing is validated by it. */
    form?: TObject;
    /** The route reads its body piece by piece while it arrives, however long that takes; every other body is read whole, within a time. */
    streamsBody?: boolean;
    /** The route's scope answers failures in a form of its own, which its responses describe, and takes no Idempotency-Key. */
    ownErrors?: boolean;
    /** Compiled by the server from the route's schemas. */
    readers?: Readers;
  }
  interface FastifyRequest {
    /** Who sends the request; on routes with a scope. */
    identity: Identity;
    /** `routeOptions.config`, of which the framework makes a new copy at each look; null until the request was admitted to its route. */
    routeConfig: RouteConfig | null;
    /** Whether the request takes one of the places of requests in work. */
    inWork: boolean;
    /** Code of the problem that was answered, for the log line. */
    problemCode: string | null;
  }
  interface FastifyInstance {
    idempotency: Idempotency;
    /** Every route with its scope; complete once the server is ready. */
    routeTable(): RouteEntry[];
    /** Answers 503 to new requests and resolves when the open ones are finished, or after the bound of the drain, with how many are still open. */
    drain(): Promise<number>;
  }
}

/** A server whose handlers get the types of their TypeBox schemas. */
export type TypedServer = FastifyInstance<
  RawServerDefault, RawRequestDefaultExpression, RawReplyDefaultExpression, FastifyBaseLogger, TypeBoxTypeProvider
>;

/** The same server with the types of its TypeBox schemas. */
export function typed(server: FastifyInstance): TypedServer {
  return server.withTypeProvider<TypeBoxTypeProvider>();
}
