import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import type { ArtifactLinks } from '../artifacts/artifactLinks.ts';
import { fetchRun } from './fetchRun.ts';
import { RunRecord } from './run.schema.ts';
import { RunParameters } from './status.route.ts';

/**
 * GET /v1/cancel/{run_id}: requests the cancellation of a run and answers at once. The answer is never cached, because this
 * GET changes state.
 */
export function cancelRoute(server: FastifyInstance, platform: Platform, links: ArtifactLinks): void {
  typed(server).get(
    '/v1/cancel/:run_id',
    {
      config: { scope: 'video:write', problems: ['unknown-run'] },
      schema: {
        operationId: 'cancelRun',
        summary: 'Cancel a summarization',
        description:
          'Stops a run. The status is `cancelling` until the processes of the run have ended, within two seconds, and then `cancelled`. A run that has ended does not change.',
        tags: ['video'],
        params: RunParameters,
        response: { 200: RunRecord },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { organizationId } = request.identity;
      const runId = request.params.run_id;
      // Read the record first: the id may belong to a job of another product.
      await fetchRun(platform, links, organizationId, runId);
      await platform.jobs.cancel(organizationId, runId);
      return fetchRun(platform, links, organizationId, runId);
    },
  );
}
