import { cursorParameter, linkNextPage, readCursor } from '@vouch/platform/http/page';
import { typed } from '@vouch/platform/http/request';
import { jsonList, streamText } from '@vouch/platform/http/stream';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { BatchRecord, batchIdParameter, batchTagsParameter } from './batch.schema.ts';
import type { BatchPlatform } from './batchPlatform.ts';
import { listBatches, type BatchPage } from './batchStore.ts';
import { requireKnownBatch } from './unknownBatch.ts';

const path = '/v1/recommender/data_batch';
const maxLimit = 1000;
/** Number of records per database query and per piece of the answer, if the whole list is requested. */
const pieceRecords = 1000;

const ListQuery = Type.Object({
  batch_id: Type.Optional(batchIdParameter),
  tags: Type.Optional(batchTagsParameter),
  limit: Type.Optional(Type.Integer({
    minimum: 1, maximum: maxLimit, description: 'Maximum number of records per page. Without a limit, the answer has all records.',
  })),
  cursor: cursorParameter,
});

/** GET /v1/recommender/data_batch: lists the records of batches, newest first, without their data. */
export function listBatchesRoute(server: FastifyInstance, platform: BatchPlatform): void {
  typed(server).get(
    path,
    {
      config: { scope: 'data:read', problems: ['unknown-batch'] },
      schema: {
        operationId: 'listBatches',
        summary: 'List batches',
        description:
          'Streams the records of all matching batches, newest first. With `limit`, returns one page; the header `Link` has the URL of the next page.',
        tags: ['recommender'],
        querystring: ListQuery,
        response: { 200: Type.Array(BatchRecord) },
      },
    },
    async (request, reply) => {
      const { batch_id: batchId = null, tags = [], limit, cursor } = request.query;
      const { organizationId } = request.identity;
      if (batchId !== null) await requireKnownBatch(platform.database, organizationId, batchId);
      const before = readCursor(request, cursor);
      const read = (from: number | null): Promise<BatchPage> =>
        listBatches(platform.database, organizationId, { batchId, tags }, { limit: limit ?? pieceRecords, before: from });
      const page = await read(before);
      if (page.next === null) return page.records;
      if (limit === undefined) return streamText(reply, 'application/json; charset=utf-8', () => jsonList(recordsFrom(page, read)));
      linkNextPage(request, reply, platform.publicUrl + path, page.next);
      return page.records;
    },
  );
}

async function* recordsFrom(first: BatchPage, read: (from: number) => Promise<BatchPage>): AsyncGenerator<BatchRecord> {
  let page = first;
  for (;;) {
    yield* page.records;
    if (page.next === null) return;
    page = await read(page.next);
  }
}
