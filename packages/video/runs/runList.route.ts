import { linkNextPage, pageParameters, readCursor } from '@vouch/platform/http/page';
import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ArtifactLinks } from '../artifacts/artifactLinks.ts';
import { fetchRuns } from './fetchRun.ts';
import { RunRecord } from './run.schema.ts';
import { listRunIds } from './runStore.ts';

/** GET /v1/runs: the records of runs, newest first, with fresh links to their files. */
export function runListRoute(server: FastifyInstance, platform: Platform, links: ArtifactLinks): void {
  typed(server).get('/v1/runs', {
    config: { scope: 'video:read' },
    schema: {
      operationId: 'listRuns',
      summary: 'List summarizations',
      description: 'Newest first. The header `Link` has the URL of the next page. Each call returns new URLs of the files; the URLs work for 24 hours without a key.',
      tags: ['video'],
      // A record has about 10 KB.
      querystring: Type.Object(pageParameters(100, 20)),
      response: { 200: Type.Array(RunRecord) },
    },
  }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const { limit, cursor } = request.query;
    const { organizationId } = request.identity;
    const { ids, next } = await listRunIds(platform.database, organizationId, { limit, before: readCursor(request, cursor) });
    if (next !== null) linkNextPage(request, reply, `${platform.publicUrl}/v1/runs`, next);
    return fetchRuns(platform, links, organizationId, ids);
  });
}
