import { hashRequest } from '@vouch/platform/http/idempotency';
import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { unknownModel } from '../recommendations/unknownModel.ts';
import { findTraining, toTrainingRecord } from './modelStore.ts';
import { TrainingRecord } from './training.schema.ts';

const ModelParameters = Type.Object({
  model_id: Type.String({ description: 'The id given or assigned when the training started.' }),
});

/** The record of a model's latest training. @throws Problem `unknown-model` */
export async function latestTraining(
  platform: Platform,
  organizationId: string,
  modelId: string,
): Promise<{ record: TrainingRecord; jobId: string }> {
  const training = await findTraining(platform.database, organizationId, modelId);
  const job = training === null ? null : await platform.jobs.get(organizationId, training.jobId);
  if (training === null || job === null) throw unknownModel(modelId);
  // The training may have ended between the two statements; what belongs to its end was written together with it.
  const ended = job.completedAt !== null;
  const written = ended ? await findTraining(platform.database, organizationId, modelId, job.id) : training;
  return { record: toTrainingRecord(written ?? training, job), jobId: job.id };
}

/** GET /v1/recommender/{model_id}/status and POST /v1/recommender/{model_id}/cancel. */
export function trainingStatusRoutes(server: FastifyInstance, platform: Platform): void {
  typed(server).get(
    '/v1/recommender/:model_id/status',
    {
      config: { scope: 'model:read' },
      schema: {
        summary: 'Status of the latest training of a model',
        tags: ['recommender'],
        params: ModelParameters,
        response: { 200: TrainingRecord },
      },
    },
    async (request) => {
      const { record } = await latestTraining(platform, request.identity.organizationId, request.params.model_id);
      return record;
    },
  );

  typed(server).post(
    '/v1/recommender/:model_id/cancel',
    {
      config: { scope: 'model:train' },
      schema: {
        summary: 'Stop the latest training of a model',
        description: 'A training that has ended stays as it is. The model keeps answering with what it has.',
        tags: ['recommender'],
        params: ModelParameters,
        response: { 200: TrainingRecord },
      },
    },
    async (request, reply) =>
      server.idempotency.answer(request, reply, hashRequest(request), async () => {
        const { organizationId } = request.identity;
        const { jobId } = await latestTraining(platform, organizationId, request.params.model_id);
        await platform.jobs.cancel(organizationId, jobId);
        return { status: 200, body: (await latestTraining(platform, organizationId, request.params.model_id)).record };
      }),
  );
}
