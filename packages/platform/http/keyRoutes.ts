import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { platformErrors } from '../errors/platformErrors.ts';
import type { KeyRecord } from '../keys/keyRecords.ts';
import type { KeyStore } from '../keys/keyStore.ts';
import { scopeNames } from '../keys/scopes.ts';
import { nullable } from './nullable.ts';
import { typed } from './request.ts';

const keyFields = {
  key_id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'First characters of the key; empty for the key of VOUCH_ADMIN_KEY.' }),
  scopes: Type.Array(Type.Enum([...scopeNames])),
  status: Type.Enum(['valid', 'expired', 'revoked']),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: nullable(Type.String({ format: 'date-time' })),
  last_used_at: nullable(Type.String({ format: 'date-time', description: 'Accurate to a minute.' })),
};

const example = {
  key_id: '7f1c3e52-6f0e-4f5e-9d3e-0a8f5d1f2b11', name: 'shop', prefix: 'vch_0aB3xY', scopes: ['recommend:read'], status: 'valid',
  created_at: '2026-03-02T09:00:00.000Z', expires_at: null, last_used_at: '2026-03-02T09:31:00.000Z',
};

const ApiKey = Type.Object(keyFields, { title: 'ApiKey', examples: [example] });
const CreatedApiKey = Type.Object({ ...keyFields, key: Type.String({ description: 'The key, shown in this answer only.' }) }, {
  title: 'CreatedApiKey', examples: [{ ...example, last_used_at: null, key: 'vch_0aB3xY…' }],
});

const KeyRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, description: 'Purpose of the key.' }),
  scopes: Type.Array(Type.Enum([...scopeNames]), { minItems: 1, description: 'Rights of the key; `admin` includes all.' }),
  expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 99_999, description: 'Days until the key expires. Default: never.' })),
}, { title: 'ApiKeyRequest', additionalProperties: false, examples: [{ name: 'shop', scopes: ['recommend:read'] }] });

const ById = Type.Object({ key_id: Type.String({ description: 'Id of the key, not the key itself.' }) });
const dayMs = 86_400_000;

/** Adds the routes with which an organization lists, creates and revokes its keys. @param now current time in ms since the Unix epoch */
export function addKeyRoutes(server: FastifyInstance, keys: Pick<KeyStore, 'list' | 'find' | 'create' | 'revoke'>, now: () => number): void {
  const config = { scope: 'admin' } as const;
  const tags = ['service'];

  typed(server).get('/v1/keys', {
    config,
    schema: { operationId: 'listKeys', summary: 'List the API keys of the organization', description: 'Newest first, at most 10,000, without the keys themselves, which Vouch does not store.', tags, response: { 200: Type.Array(ApiKey) } },
  }, async (request) => (await keys.list(request.identity.organizationId)).map(toRecord));

  typed(server).post('/v1/keys', {
    config: { ...config, answersSecret: true },
    schema: { operationId: 'createKey', summary: 'Create an API key', description: 'The answer is the only place that shows the key. The key belongs to the organization of the caller.', tags, body: KeyRequest, response: { 201: CreatedApiKey } },
  }, async (request, reply) => {
    if (request.headers['idempotency-key'] !== undefined) {
      throw platformErrors.problem('invalid-parameter', 'This route does not support Idempotency-Key, because Vouch would have to store the new key. List the keys to see whether an earlier request created the key, and revoke that key.');
    }
    const { name, scopes, expires_in_days: days } = request.body;
    const expiresAt = days === undefined ? null : new Date(now() + days * dayMs);
    const { key, record } = await keys.create({ organizationId: request.identity.organizationId, name, scopes, expiresAt });
    return reply.code(201).header('cache-control', 'no-store').send({ ...toRecord(record), key });
  });

  typed(server).delete('/v1/keys/:key_id', {
    config: { ...config, problems: ['not-found'] },
    schema: { operationId: 'revokeKey', summary: 'Revoke an API key', description: 'The key and its console sessions stop working at once. Revoking a revoked key has no effect.', tags, params: ById, response: { 200: ApiKey } },
  }, async (request) => {
    const { key_id: id } = request.params;
    const known = await keys.find(request.identity.organizationId, id);
    const record = known === null ? null : await keys.revoke(id);
    if (record === null) throw platformErrors.problem('not-found', `No key of the organization has the id ${JSON.stringify(id.slice(0, 80))}. GET /v1/keys lists the keys.`);
    return toRecord(record);
  });
}

function toRecord(record: KeyRecord): Static<typeof ApiKey> {
  return {
    key_id: record.id, name: record.name, prefix: record.prefix, scopes: record.scopes, status: record.status,
    created_at: record.createdAt.toISOString(), expires_at: record.expiresAt?.toISOString() ?? null, last_used_at: record.lastUsedAt?.toISOString() ?? null,
  };
}
