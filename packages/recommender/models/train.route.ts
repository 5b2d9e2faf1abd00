import { hashRequest } from '@vouch/platform/http/idempotency';
import { typed } from '@vouch/platform/http/request';
import { traceparentOfRequest } from '@vouch/platform/http/traceRequests';
import { refuseAddresses } from '@vouch/platform/outbound/refuseAddresses';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import type { RecommenderSettings } from '../config/recommenderSettings.ts';
import { startTraining, toStoredParameters } from './startTraining.ts';
import { TrainRequest, TrainingRecord } from './training/training.schema.ts';

/** POST /v1/recommender/train: records the training and its job, and answers immediately. */
export function trainRoute(server: FastifyInstance, platform: Platform, settings: Pick<RecommenderSettings, 'spark_submit'>): void {
  typed(server).post(
    '/v1/recommender/train',
    {
      config: { scope: 'model:train', problems: ['address-refused'] },
      schema: {
        operationId: 'startTraining',
        summary: 'Start a training',
        description:
          'Trains a model from the uploaded batches. An existing model with this id answers queries until the training completes; the new version then replaces it. `warnings` names each tag of `data_tags` that no batch has, and later each mistake in the data.',
        tags: ['recommender'],
        body: TrainRequest,
        response: { 202: TrainingRecord },
      },
    },
    async (request, reply) => {
      const body = request.body;
      const { organizationId } = request.identity;
      refuseAddresses([{ location: '/callback_url', address: body.callback_url, check: (url) => platform.webhooks.checkUrl(url) }]);
      const modelId = body.model_id ?? `model-${platform.random.uuid()}`;
      const parameters = toStoredParameters(body, settings);
      return server.idempotency.answer(request, reply, hashRequest(request), async (transaction) => {
        const training = { organizationId, modelId, parameters, callbackUrl: body.callback_url ?? null, schedule: null, traceparent: traceparentOfRequest(request) };
        return { status: 202, body: await startTraining(platform, transaction, training) };
      });
    },
  );
}
