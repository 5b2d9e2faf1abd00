import type { FastifyRequest } from 'fastify';
import { platformErrors } from '../errors/platformErrors.ts';
import { operatorOrganizationId } from '../keys/firstKey.ts';
import type { Identity } from '../keys/identity.ts';
import { allows, isPublishable, type Scope } from '../keys/scopes.ts';
import type { KeyBrake } from './keyBrake.ts';
import { refuseKey, type FindEnded } from './refuseKey.ts';
import { requireOwnPage, sessionSecret } from './sessionCookie.ts';
import { whenKnown } from './whenKnown.ts';

/** Looks up a key: synchronously if the key is cached. Null if the key is unknown, revoked or expired. */
export type Authenticate = (key: string) => Identity | null | Promise<Identity | null>;

/** How requests prove who sends them. */
export interface Credentials {
  authenticate: Authenticate;
  /** Looks up a session of the console by the secret in its cookie; omitted if the server has no console. */
  authenticateSession?: Authenticate | undefined;
  brake: KeyBrake;
  findEnded?: FindEnded | undefined;
}

/**
 * Identifies the sender of a request by the key in its header, or by the cookie of a console session.
 * @throws Problem `missing-key`, `unknown-key`, `expired-key`, `revoked-key` or `too-many-wrong-keys`, `session-ended` or `foreign-page`, or `missing-scope` if the key lacks the scope
 */
export function identify(request: FastifyRequest, scope: Scope, credentials: Credentials): Identity | Promise<Identity> {
  const key = request.headers.apikey;
  if (typeof key === 'string' && key !== '') {
    return whenKnown(credentials.authenticate(key), (identity) =>
      (identity === null ? refuseKey(key, request.ip, credentials) : requireScope(request, identity, scope)));
  }
  const secret = credentials.authenticateSession === undefined ? null : sessionSecret(request);
  if (secret === null || credentials.authenticateSession === undefined) throw missingKey(request);
  requireOwnPage(request);
  return whenKnown(credentials.authenticateSession(secret), (identity) => {
    if (identity === null) throw platformErrors.problem('session-ended', 'The session of the console has ended: it is older than twelve hours, or its key was revoked or expired. Sign in again.');
    return requireScope(request, identity, scope);
  });
}

function missingKey(request: FastifyRequest): Error {
  const found = request.headers.authorization === undefined
    ? 'The request has no `apikey` header.'
    : 'The request has an `Authorization` header, which this server does not use, but no `apikey` header.';
  return platformErrors.problem('missing-key', `${found} Send only the API key in the header named apikey: curl -H "apikey: $KEY".`);
}

/** Rejects a key that does not belong to the operator's organization. @throws Problem `operator-only` */
export function requireOperator({ organizationId }: Identity): void {
  if (organizationId === operatorOrganizationId) return;
  throw platformErrors.problem(
    'operator-only',
    `This route shows or changes data that all organizations share, so it requires a key of the organization ${operatorOrganizationId}. The key belongs to another organization. Ask the operator of this server.`,
  );
}

function requireScope({ routeConfig }: FastifyRequest, identity: Identity, scope: Scope): Identity {
  if (allows(identity.scopes, scope)) return identity;
  if (routeConfig?.forPages === true && isPublishable(identity.scopes, scope)) return identity;
  throw platformErrors.problem(
    'missing-scope',
    `This route requires the scope ${scope}; the key has ${identity.scopes.join(', ') || 'none'}. Use a key with the scope ${scope}.`,
  );
}
