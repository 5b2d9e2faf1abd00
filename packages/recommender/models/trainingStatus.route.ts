import { hashRequest } from '@vouch/platform/http/idempotency';
import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { unknownModel } from '../errors/unknownModel.ts';
import { findTraining, toTrainingRecord } from './modelStore.ts';
import { trainingsOf } from './train.job.ts';
import { TrainingRecord } from './training/training.schema.ts';

export const ModelParameters = Type.Object({
  model_id: Type.String({ description: 'The id given or assigned when the training started.' }),
});

/** The open models of this process. */
export interface OpenModels {
  /** Resolves when queries get this version, or the version that replaced it. */
  require(organizationId: string, modelId: string, version: number): Promise<void>;
}

/**
 * The record of a model's latest training.
 * @throws Problem `unknown-model`
 */
async function latestTraining(
  platform: Platform,
  organizationId: string,
  modelId: string,
): Promise<TrainingRecord> {
  const training = await findTraining(platform.database, organizationId, modelId);
  const job = training === null ? null : await platform.jobs.get(organizationId, training.jobId);
  if (training === null || job === null) throw await unknownModel(platform.database, organizationId, modelId);
  // The training can end between the two queries. The row and the job's end are written in one transaction, so the row is
  // read again.
  const ended = job.completedAt !== null;
  const written = ended ? await findTraining(platform.database, organizationId, modelId, job.id) : training;
  return toTrainingRecord(written ?? training, job, platform.publicUrl, platform.clock.now());
}

/** GET /v1/recommender/{model_id}/status and POST /v1/recommender/{model_id}/cancel. */
export function trainingStatusRoutes(server: FastifyInstance, platform: Platform, models: OpenModels): void {
  typed(server).get(
    '/v1/recommender/:model_id/status',
    {
      config: { scope: 'model:read', problems: ['unknown-model'] },
      schema: {
        operationId: 'getTraining',
        summary: 'Status of the latest training of a model',
        tags: ['recommender'],
        params: ModelParameters,
        response: { 200: TrainingRecord },
      },
    },
    async (request) => {
      const { organizationId } = request.identity;
      const record = await latestTraining(platform, organizationId, request.params.model_id);
      if (record.serving_version !== null) await models.require(organizationId, record.model_id, record.serving_version);
      return record;
    },
  );

  typed(server).post(
    '/v1/recommender/:model_id/cancel',
    {
      config: { scope: 'model:train', problems: ['unknown-model'] },
      schema: {
        operationId: 'cancelTrainings',
        summary: 'Stop the trainings of a model',
        description:
          'Stops the running training of the model and the trainings that wait for it. Completed trainings do not change; queries use the latest completed version.',
        tags: ['recommender'],
        params: ModelParameters,
        response: { 200: TrainingRecord },
      },
    },
    async (request, reply) =>
      server.idempotency.answer(request, reply, hashRequest(request), async () => {
        const { organizationId } = request.identity;
        const modelId = request.params.model_id;
        // Cancels the newest job first, so that no waiting training starts in between.
        for (const jobId of await platform.jobs.listOpen(organizationId, trainingsOf(organizationId, modelId))) {
          await platform.jobs.cancel(organizationId, jobId);
        }
        return { status: 200, body: await latestTraining(platform, organizationId, modelId) };
      }),
  );
}
