import type { Connection } from '@vouch/platform/database/database';
import { typed } from '@vouch/platform/http/request';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { BatchRecord, listBatches } from './batchRecords.ts';
import type { RowScope } from '../requests/rowScope.ts';

/** GET /gateway/batches: the gateway's transactions, for its operator. */
export function listBatchesRoute(server: FastifyInstance, database: Connection, publicUrl: string, rows: RowScope): void {
  typed(server).get('/gateway/batches', {
    config: { scope: 'admin', operatorOnly: true },
    schema: {
      operationId: 'listGatewayBatches',
      summary: 'Transactions of the gateway',
      description: 'Newest first. The header `Link` names the next page.',
      tags: ['gateway'],
      querystring: Type.Object({
        limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: 'Maximum number of batches in the answer.' }),
        cursor: Type.Optional(Type.String({ maxLength: 200, description: 'Start of the page, from the header `Link` of the previous page.' })),
      }),
      response: { 200: Type.Array(BatchRecord) },
    },
  }, async (request, reply) => {
    const { limit, cursor = null } = request.query;
    const { batches, next } = await listBatches(database, rows, limit, cursor);
    if (next !== null) reply.header('link', `<${publicUrl}${server.prefix}/gateway/batches?limit=${limit}&cursor=${next}>; rel="next"`);
    reply.header('cache-control', 'no-store');
    return batches;
  });
}
