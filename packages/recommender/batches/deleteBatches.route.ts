import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { typed } from '@vouch/platform/http/request';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { BatchRecord, batchIdParameter, batchTagsParameter } from './batch.schema.ts';
import type { BatchPlatform } from './batchPlatform.ts';
import { removeBatches } from './batchStore.ts';
import { requireKnownBatch } from './unknownBatch.ts';

const DeleteQuery = Type.Object({
  batch_id: Type.Optional(batchIdParameter),
  tags: Type.Optional(batchTagsParameter),
});

/** Makes batches of the organization's events if one that is in no batch yet has all of the tags. */
export type FoldTagged = (organizationId: string, tags: readonly string[]) => Promise<void>;

/** DELETE /v1/recommender/data_batch: deletes by id, by tags, or by both. A running training keeps the data that it reads. */
export function deleteBatchesRoute(server: FastifyInstance, platform: BatchPlatform, foldTagged: FoldTagged): void {
  typed(server).delete(
    '/v1/recommender/data_batch',
    {
      config: { scope: 'data:write', problems: ['missing-filter', 'unknown-batch'] },
      schema: {
        operationId: 'deleteBatches',
        summary: 'Delete batches',
        description:
          'Deletes the batch with this id, every batch that has all of the tags, or the batches that match both, and returns their records. With tags alone, events that are in no batch yet become batches first. The request needs an id or tags.',
        tags: ['recommender'],
        querystring: DeleteQuery,
        response: { 200: Type.Array(BatchRecord) },
      },
    },
    async (request) => {
      const { batch_id: batchId = null, tags = [] } = request.query;
      const { organizationId } = request.identity;
      if (batchId === null && tags.length === 0) {
        throw platformErrors.problem(
          'missing-filter',
          'Neither batch_id nor tags is given, which would delete every batch. List them with GET /v1/recommender/data_batch, ' +
            'then delete each by its batch_id or several by their tags.',
        );
      }
      // Events in no batch would otherwise outlive their deletion, and be a batch an hour later.
      if (batchId === null) await foldTagged(organizationId, tags);
      return platform.database.transaction(async (transaction) => {
        if (batchId !== null) await requireKnownBatch(transaction, organizationId, batchId);
        return removeBatches(transaction, organizationId, { batchId, tags });
      });
    },
  );
}
