import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { TObject } from 'typebox';
import type { Identity } from '../keys/identity.ts';
import type { Scope } from '../keys/scopes.ts';
import type { Idempotency } from './idempotency.ts';
import type { RouteEntry } from './routeTable.ts';
import type { Turns } from './turns.ts';
import type { PartParsers } from './validateRequest.ts';

type RouteConfig = FastifyRequest['routeOptions']['config'];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that the key must have; null for a route that needs no key. The server does not start if a route has no scope setting. */
    scope?: Scope | null;
    /** Only keys of the operator's organization may call the route, because it shows or changes what all organizations share. */
    operatorOnly?: boolean;
    /**
     * Web pages may call the route: browsers get CORS headers for the origins of `VOUCH_CORS_ORIGINS`, and publishable keys are accepted beside keys
     * with the scope. The handler applies the limits of publishable keys.
     */
    forPages?: boolean;
    /** Fields of a form that the route reads itself. Used for the OpenAPI document only, not for validation. */
    form?: TObject;
    /**
     * The route reads its body in pieces while it arrives, without a limit on the total time. All other bodies are read whole, within
     * `bodyTimeoutMs`.
     */
    streamsBody?: boolean;
    /** Codes of the problems that only this route answers, for the OpenAPI document. Problems of authorization, input and load are added to all routes. */
    problems?: readonly string[];
    /** The route answers failures in its own format, which its response schemas describe, and does not support Idempotency-Key. */
    ownErrors?: boolean;
    /**
     * Concurrent requests without an Idempotency-Key share transactions instead of having one each, so any number of one sender's requests may be in
     * progress.
     */
    waitsTogether?: boolean;
    /** The answer has a secret, which must not be stored for repeated requests: the route does not support Idempotency-Key. */
    answersSecret?: boolean;
    /** Whether a POST request changes nothing although its scope allows changes; it then needs no `Idempotency-Key`. */
    changesNothing?: boolean;
    /** PartParsers that the server compiles from the route's schemas. */
    parsers?: PartParsers;
  }
  interface FastifyRequest {
    /** The sender of the request; set on routes with a scope. */
    identity: Identity;
    /** `routeOptions.config`, kept here because Fastify copies the object at each access. Null until the request was assigned to its route. */
    routeConfig: RouteConfig | null;
    /** Who shares limits with the request: an organization, the publishable keys of an organization, or `noSender`. */
    sender: string;
    /** The sender for which the request counts as in work, or null; see Traffic. */
    countedFor: string | null;
    /** Whether the request has a place; see Turns. */
    hasPlace: boolean;
    /** Code of the problem in the answer, for the log line; null if there is none. */
    problemCode: string | null;
  }
  interface FastifyInstance {
    idempotency: Idempotency;
    turns: Turns;
    /** Lists all routes with their scopes. The list is complete once the server is ready. */
    routeTable(): RouteEntry[];
    /**
     * Answers new requests with 503. Resolves when all open requests have ended, or after `drainTimeoutMs`. Returns the number of requests that are
     * still open.
     */
    drain(): Promise<number>;
  }
}

/** A Fastify server whose handlers get the types of their TypeBox schemas. */
export type TypedServer = FastifyInstance<
  RawServerDefault, RawRequestDefaultExpression, RawReplyDefaultExpression, FastifyBaseLogger, TypeBoxTypeProvider
>;

/** Returns the same server, typed by its TypeBox schemas. */
export function typed(server: FastifyInstance): TypedServer {
  return server.withTypeProvider<TypeBoxTypeProvider>();
}

/** Resolves at the next turn of the request's sender. Long answers await it between their steps, so that other senders' requests begin in between. */
export function nextTurn({ server, sender }: FastifyRequest): Promise<void> {
  return new Promise((resolve) => server.turns.continue(sender, resolve));
}
