import type { FastifyRequest } from 'fastify';
import { platformErrors } from '../errors/platformErrors.ts';
import { operatorOrganizationId } from '../keys/firstKey.ts';
import type { Identity } from '../keys/keyStore.ts';
import { allows, type Scope } from '../keys/scopes.ts';
import type { KeyBrake } from './keyBrake.ts';
import { whenKnown } from './whenKnown.ts';

/** Looks up a key: synchronously if the key is cached. Null if the key is unknown, revoked or expired. */
export type Authenticate = (key: string) => Identity | null | Promise<Identity | null>;

/**
 * Identifies the sender of a request.
 * @throws Problem `missing-key`, `unknown-key` or `too-many-wrong-keys`, or `missing-scope` if the key lacks the scope
 */
export function identify(request: FastifyRequest, scope: Scope, authenticate: Authenticate, brake: KeyBrake): Identity | Promise<Identity> {
  const key = request.headers.apikey;
  if (typeof key !== 'string' || key === '') {
    const found = request.headers.authorization === undefined
      ? 'The request has no `apikey` header.'
      : 'The request has an `Authorization` header, which this server does not use, but no `apikey` header.';
    throw platformErrors.problem('missing-key', `${found} Send only the API key in the header named apikey: curl -H "apikey: $KEY".`);
  }
  return whenKnown(authenticate(key), (identity) => requireScope(request, identity, scope, brake));
}

/** Rejects a key that does not belong to the operator's organization. @throws Problem `operator-only` */
export function requireOperator({ organizationId }: Identity): void {
  if (organizationId === operatorOrganizationId) return;
  throw platformErrors.problem(
    'operator-only',
    `This route shows or changes data that all organizations share, so it requires a key of the organization ${operatorOrganizationId}. The key belongs to another organization. Ask the operator of this server.`,
  );
}

function requireScope(request: FastifyRequest, identity: Identity | null, scope: Scope, brake: KeyBrake): Identity {
  if (identity === null) {
    throw brake.count(request.ip) ?? platformErrors.problem(
      'unknown-key',
      'The key in the `apikey` header is unknown, revoked or expired. Check that you sent the whole key.',
    );
  }
  if (!allows(identity.scopes, scope)) {
    throw platformErrors.problem(
      'missing-scope',
      `This route requires the scope ${scope}; the key has ${identity.scopes.join(', ') || 'none'}. Use a key with the scope ${scope}.`,
    );
  }
  return identity;
}
