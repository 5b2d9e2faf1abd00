import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Identity } from '../keys/identity.ts';
import { sessionSeconds, type MadeSession } from '../keys/sessions.ts';
import type { Authenticate } from './identity.ts';
import type { KeyBrake } from './keyBrake.ts';
import { refuseKey, type FindEnded } from './refuseKey.ts';
import { requireOwnPage, sessionSecret } from './sessionCookie.ts';
import { typed } from './request.ts';

/** The sessions of people in the console. Each acts with the rights of the key with which the session began. */
export interface Sessions {
  /** Returns the holder of a session; null if the session has ended. */
  authenticate: Authenticate;
  begin(keyId: string): Promise<MadeSession>;
  end(secret: string): Promise<void>;
  /** Exchanges the secret of a sign-in link. Null if the link is unknown, used or expired. */
  useLink(secret: string): Promise<MadeSession | null>;
  /** Describes a key for its holder. */
  describe(identity: Identity): Promise<{ organization: string; key: string }>;
}

const cookieName = 'vouch_session';

const SignIn = Type.Object({
  key: Type.Optional(Type.String({ maxLength: 512 })),
  link: Type.Optional(Type.String({ maxLength: 100 })),
}, { additionalProperties: false });

interface SessionParts {
  sessions: Sessions;
  authenticate: Authenticate;
  brake: KeyBrake;
  findEnded?: FindEnded | undefined;
  version: string;
  /** Whether browsers reach the server by HTTPS. */
  secure: boolean;
}

/**
 * Adds `/console/session`: the current session (GET), sign-in by API key or link (POST), sign-out (DELETE). These routes are for the console alone and
 * are not part of the API description.
 */
export function addSessionRoutes(server: FastifyInstance, { sessions, authenticate, brake, findEnded, version, secure }: SessionParts): void {
  const path = '/console/session';
  const config = { scope: null };
  const hidden = { hide: true };
  const cookie = (secret: string, seconds: number): string =>
    `${cookieName}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure ? '; Secure' : ''}`;
  const describe = async (identity: Identity | null): Promise<object> =>
    ({ session: identity === null ? null : { ...(await sessions.describe(identity)), scopes: identity.scopes, version } });

  server.get(path, { config, schema: hidden }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const secret = sessionSecret(request);
    return describe(secret === null ? null : await sessions.authenticate(secret));
  });

  typed(server).post(path, { config, schema: { ...hidden, body: SignIn } }, async (request, reply) => {
    requireOwnPage(request);
    reply.header('cache-control', 'no-store');
    const { key, link } = request.body;
    const made = link === undefined ? await beginWithKey(request, key ?? '') : await sessions.useLink(link);
    if (made === null) throw platformErrors.problem('sign-in-link-ended', 'The sign-in link was used before, or it is older than ten minutes. `vouch console` prints a new link; an API key works too.');
    reply.header('set-cookie', cookie(made.secret, sessionSeconds));
    return describe(await sessions.authenticate(made.secret));
  });

  server.delete(path, { config, schema: hidden }, async (request, reply: FastifyReply) => {
    requireOwnPage(request);
    const secret = sessionSecret(request);
    if (secret !== null) await sessions.end(secret);
    return reply.code(204).header('set-cookie', cookie('', 0)).send();
  });

  async function beginWithKey(request: FastifyRequest, key: string): Promise<MadeSession> {
    const identity = await authenticate(key);
    return identity === null ? refuseKey(key, request.ip, { brake, findEnded }) : sessions.begin(identity.keyId);
  }
}
