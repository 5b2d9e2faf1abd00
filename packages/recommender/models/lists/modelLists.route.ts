import { linkNextPage, pageParameters, readCursor } from '@vouch/platform/http/page';
import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { unknownModel } from '../../errors/unknownModel.ts';
import { TrainingRecord } from '../training/training.schema.ts';
import { ModelParameters } from '../trainingStatus.route.ts';
import { loadModels, loadTrainings } from './modelList.ts';
import { ModelRecord } from './modelList.schema.ts';

/** A record with the metrics of a search has about 10 KB. */
const page = Type.Object(pageParameters(200, 50));

/** GET /v1/recommender/models and GET /v1/recommender/{model_id}/trainings. */
export function modelListRoutes(server: FastifyInstance, platform: Platform): void {
  typed(server).get('/v1/recommender/models', {
    config: { scope: 'model:read' },
    schema: {
      operationId: 'listModels',
      summary: 'List models',
      description: 'The model with the newest training first. The header `Link` has the URL of the next page.',
      tags: ['recommender'],
      querystring: page,
      response: { 200: Type.Array(ModelRecord) },
    },
  }, async (request, reply) => {
    const { limit, cursor } = request.query;
    const { records, next } = await loadModels(platform, request.identity.organizationId, { limit, before: readCursor(request, cursor) });
    if (next !== null) linkNextPage(request, reply, `${platform.publicUrl}/v1/recommender/models`, next);
    return records;
  });

  typed(server).get('/v1/recommender/:model_id/trainings', {
    config: { scope: 'model:read', problems: ['unknown-model'] },
    schema: {
      operationId: 'listTrainings',
      summary: 'List the trainings of a model',
      description: 'Newest first, including failed and cancelled trainings. The header `Link` has the URL of the next page.',
      tags: ['recommender'],
      params: ModelParameters,
      querystring: page,
      response: { 200: Type.Array(TrainingRecord) },
    },
  }, async (request, reply) => {
    const { limit, cursor } = request.query;
    const { model_id: modelId } = request.params;
    const found = await loadTrainings(platform, request.identity.organizationId, modelId, { limit, before: readCursor(request, cursor) });
    if (found === null) throw await unknownModel(platform.database, request.identity.organizationId, modelId);
    if (found.next !== null) linkNextPage(request, reply, `${platform.publicUrl}/v1/recommender/${encodeURIComponent(modelId)}/trainings`, found.next);
    return found.records;
  });
}
