import { hashRequest } from '@vouch/platform/http/idempotency';
import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { toPublicMetrics, toPublicParameters } from './modelStore.ts';
import { ModelParameters, type OpenModels } from './trainingStatus.route.ts';
import { RollbackRequest, VersionRecord } from './versions/version.schema.ts';
import { listVersions, rollBack, type StoredVersion } from './versions/versionStore.ts';

/** GET /v1/recommender/{model_id}/versions and POST /v1/recommender/{model_id}/rollback. */
export function versionRoutes(server: FastifyInstance, platform: Pick<Platform, 'database'>, models: OpenModels): void {
  const served = new WeakMap<object, { modelId: string; version: number }>();
  typed(server).get(
    '/v1/recommender/:model_id/versions',
    {
      config: { scope: 'model:read', problems: ['unknown-model'] },
      schema: {
        operationId: 'listVersions',
        summary: 'List the versions of a model',
        description: 'Returns the kept versions, newest first: the newest VOUCH_KEPT_VERSIONS versions that answered queries, as many that were kept without serving, and the version that serves.',
        tags: ['recommender'],
        params: ModelParameters,
        response: { 200: Type.Array(VersionRecord) },
      },
    },
    async (request) => {
      const { organizationId } = request.identity;
      const modelId = request.params.model_id;
      const versions = await listVersions(platform.database, organizationId, modelId);
      const serving = versions.find((version) => version.serving);
      if (serving !== undefined) await models.require(organizationId, modelId, serving.version);
      return versions.map((version) => toVersionRecord(modelId, version));
    },
  );

  typed(server).post(
    '/v1/recommender/:model_id/rollback',
    {
      config: { scope: 'model:train', problems: ['unknown-model', 'unknown-version'] },
      schema: {
        operationId: 'rollBackModel',
        summary: 'Make a kept version serve',
        description:
          'The server that answers uses the version at once, all servers within a second. The data stays as it is, and the next completed training replaces the version; to prevent this, cancel the trainings of the model.',
        tags: ['recommender'],
        params: ModelParameters,
        body: RollbackRequest,
        response: { 200: VersionRecord },
      },
      // After the commit, when the lookup of the serving version finds it, and before the answer is sent.
      onSend: async (request) => {
        const rolledBack = served.get(request.raw);
        if (rolledBack !== undefined) await models.require(request.identity.organizationId, rolledBack.modelId, rolledBack.version);
      },
    },
    async (request, reply) =>
      server.idempotency.answer(request, reply, hashRequest(request), async (transaction) => {
        const modelId = request.params.model_id;
        const version = await rollBack(transaction, request.identity.organizationId, modelId, request.body.version);
        served.set(request.raw, { modelId, version: version.version });
        return { status: 200, body: toVersionRecord(modelId, version) };
      }),
  );
}

function toVersionRecord(modelId: string, { version, serving, createdAt, metrics, comparison, parameters }: StoredVersion): VersionRecord {
  return {
    model_id: modelId,
    version,
    serving,
    created_at: createdAt.toISOString(),
    metrics: toPublicMetrics(metrics, parameters),
    comparison,
    parameters: parameters === null ? null : toPublicParameters(parameters),
  };
}
