import { hashRequest } from '@vouch/platform/http/idempotency';
import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { findTraining, insertTraining, toTrainingRecord } from './modelStore.ts';
import { trainingsOf, trainKind, type TrainInput } from './train.job.ts';
import { readSetting } from './training/operatorSetting.schema.ts';
import { TrainRequest, TrainingRecord, type StoredParameters } from './training/training.schema.ts';
import { warnOfTags } from './warnOfTags.ts';

const defaultSeed = 1;

/** POST /v1/recommender/train: records the training and its job, and answers immediately. */
export function trainRoute(server: FastifyInstance, platform: Platform): void {
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
      if (body.callback_url !== undefined) platform.webhooks.checkUrl(body.callback_url);
      const modelId = body.model_id ?? `model-${platform.random.uuid()}`;
      const setting = body.parameters?.setting ?? 'auto';
      const parameters: StoredParameters = {
        setting: typeof setting === 'object' ? readSetting(setting) : setting,
        ...(body.parameters?.weights === undefined ? {} : { weights: body.parameters.weights }),
        seed: body.parameters?.seed ?? defaultSeed,
        data_tags: body.data_tags ?? [],
        maximum_interaction_age_days: body.maximum_interaction_age_days ?? null,
        ...(body.publish === undefined ? {} : { publish: body.publish }),
      };
      return server.idempotency.answer(request, reply, hashRequest(request), async (transaction) => {
        const input: TrainInput = { modelId, parameters };
        const job = await platform.jobs.enqueue(transaction, {
          organizationId,
          kind: trainKind,
          subject: modelId,
          input,
          serialKey: trainingsOf(organizationId, modelId),
        });
        const callbackUrl = body.callback_url ?? null;
        const warnings = await warnOfTags(transaction, organizationId, parameters.data_tags);
        await insertTraining(transaction, organizationId, { jobId: job.id, modelId, parameters, callbackUrl, warnings });
        const training = await findTraining(transaction, organizationId, modelId, job.id);
        if (training === null) throw new Error(`training ${job.id} has no row`);
        return { status: 202, body: toTrainingRecord(training, job, platform.publicUrl, platform.clock.now()) };
      });
    },
  );
}
