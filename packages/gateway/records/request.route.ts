import { typed } from '@vouch/platform/http/request';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { lookUpRecord, type RecordSources } from './lookUpRecord.ts';
import { RequestRecord } from './requestRecord.ts';

/**
 * GET /gateway/requests/{request_id}: the record of a message. No API key is required: the id is unguessable, and the record
 * contains no secret.
 */
export function requestRoute(server: FastifyInstance, sources: RecordSources): void {
  typed(server).get('/gateway/requests/:request_id', {
    config: { scope: null, problems: ['unknown-request', 'database-unavailable'] },
    schema: {
      operationId: 'getMessage',
      summary: 'Status of a signed message',
      description: 'Each step with its time, every transaction that carried the message, the gas used and saved, and the reason of a failure. ' +
        'While the database does not answer: the last state that this process read, with `as_of`.',
      tags: ['gateway'],
      params: Type.Object({ request_id: Type.String({ description: 'The id in the answer to the accepted message.' }) }),
      response: { 200: RequestRecord },
    },
  }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    return lookUpRecord(sources, request.params.request_id);
  });
}
