import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { typed } from '@vouch/platform/http/request';
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { BatchRecord, batchIdParameter, batchTagsParameter } from './batch.schema.ts';
import type { BatchPlatform } from './batchRoutes.ts';
import { listBatches, readCursor } from './batchStore.ts';
import { requireKnownBatch } from './unknownBatch.ts';

const path = '/v1/recommender/data_batch';
const maximumLimit = 1000;

const ListQuery = Type.Object({
  batch_id: Type.Optional(batchIdParameter),
  tags: Type.Optional(batchTagsParameter),
  limit: Type.Integer({ minimum: 1, maximum: maximumLimit, default: maximumLimit, description: 'Most records of one answer.' }),
  cursor: Type.Optional(Type.String({ maxLength: 64, description: 'Continues a list: taken from the `Link` header of its last answer.' })),
});
type ListQuery = Static<typeof ListQuery>;

/** GET /v1/recommender/data_batch: the records of batches, newest first; never their data. */
export function listBatchesRoute(server: FastifyInstance, platform: BatchPlatform): void {
  typed(server).get(
    path,
    {
      config: { scope: 'data:read' },
      schema: {
        summary: 'List batches',
        description: 'Records of the batches, newest first. Where there are more, the `Link` header has the address of the next page.',
        tags: ['recommender'],
        querystring: ListQuery,
        response: { 200: Type.Array(BatchRecord) },
      },
    },
    async (request, reply) => {
      const { batch_id: batchId = null, tags = [], limit, cursor } = request.query;
      const { organizationId } = request.identity;
      if (batchId !== null) await requireKnownBatch(platform.database, organizationId, batchId);
      const before = cursor === undefined ? null : positionOf(cursor);
      const page = await listBatches(platform.database, organizationId, { batchId, tags }, { limit, before });
      if (page.nextCursor !== null) {
        reply.header('link', `<${platform.publicUrl}${path}?${nextQuery(request.query, page.nextCursor)}>; rel="next"`);
      }
      return page.records;
    },
  );
}

function positionOf(cursor: string): number {
  const position = readCursor(cursor);
  if (position !== null) return position;
  const detail = `cursor is "${cursor}", which no answer of this list gave; take it from the Link header of the last answer, or leave it out.`;
  throw platformErrors.problem('invalid-parameter', detail, { errors: [{ location: 'query:cursor', detail, value: cursor }] });
}

function nextQuery({ batch_id: batchId, tags = [], limit }: ListQuery, cursor: string): string {
  const query = new URLSearchParams({ limit: String(limit), cursor });
  if (batchId !== undefined) query.set('batch_id', batchId);
  for (const tag of tags) query.append('tags', tag);
  return query.toString();
}
