import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ArtifactLinks } from '../artifacts/artifactLinks.ts';
import { fetchRun } from './fetchRun.ts';
import { RunRecord } from './run.schema.ts';

export const RunParameters = Type.Object({
  run_id: Type.String({ description: 'The `run_id` that POST /v1video-summarization/create returned.' }),
});

/** GET /v1/status/{run_id}: the record of a run, with fresh links to its files. */
export function statusRoute(server: FastifyInstance, platform: Platform, links: ArtifactLinks): void {
  typed(server).get(
    '/v1/status/:run_id',
    {
      config: { scope: 'video:read', problems: ['unknown-run'] },
      schema: {
        operationId: 'getRun',
        summary: 'Status of a summarization',
        description: 'Returns the record of the run. Each call returns new URLs of the files; the URLs work for 24 hours without a key.',
        tags: ['video'],
        params: RunParameters,
        response: { 200: RunRecord },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return fetchRun(platform, links, request.identity.organizationId, request.params.run_id);
    },
  );
}
