import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { nextTurn, typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import type { ModelCache } from '../recommendations/modelCache.ts';
import { ComparedModel } from './comparedModel.ts';
import { compareModels } from './compareModels.ts';
import { ComparisonQuery, ComparisonResult } from './comparison.schema.ts';
import { openVersion, type HeldVersion } from './openVersion.ts';

/** Maximum number of comparisons at once in one process, because each may open two versions. */
const maxComparisons = 1;

/** GET /v1/recommender/compare. */
export function compareRoute(server: FastifyInstance, platform: Pick<Platform, 'blobs' | 'database' | 'timers'>, models: ModelCache): void {
  let running = 0;
  typed(server).get('/v1/recommender/compare', {
    config: { scope: 'model:read', problems: ['unknown-model', 'unknown-version', 'model-not-ready', 'storage-unavailable'] },
    schema: {
      operationId: 'compareModels',
      summary: 'Compare two models or versions',
      description: 'Compares the lists of a random sample of users and items, as the versions were trained: without newer events, filters and rules. Says how much changes, not what is better; metrics of the trainings and experiments do.',
      tags: ['recommender'],
      querystring: ComparisonQuery,
      response: { 200: ComparisonResult },
    },
  }, async (request) => {
    if (running >= maxComparisons) {
      throw platformErrors.problem('overloaded', 'A comparison runs in this server already. Send the request again in a few seconds.', { headers: { 'retry-after': '5' } });
    }
    running += 1;
    const held: HeldVersion[] = [];
    try {
      const { organizationId } = request.identity;
      const { model_id: modelId, other_model_id: otherId = modelId, version, other_version: otherVersion, length = 20, sample = 300, seed = 1 } = request.query;
      const [first, second] = [[modelId, version], [otherId, otherVersion]] as const;
      for (const [id, wanted] of [first, second]) held.push(await openVersion({ platform, models }, organizationId, id, wanted));
      const [one, other] = held as [HeldVersion, HeldVersion];
      refuseSame(modelId, otherId, one.version, other.version);
      const [a, b] = [new ComparedModel(one.model), new ComparedModel(other.model)];
      const compared = await compareModels(a, b, { length, sample, seed, isGone: () => request.raw.socket.destroyed, nextTurn: () => nextTurn(request) });
      return { length, seed, a: { model_id: modelId, version: one.version, ...a.facts }, b: { model_id: otherId, version: other.version, ...b.facts }, ...compared };
    } finally {
      running -= 1;
      for (const { release } of held) await release();
    }
  });
}

/** @throws Problem invalid-parameter */
function refuseSame(modelId: string, otherId: string, version: number, otherVersion: number): void {
  if (modelId !== otherId || version !== otherVersion) return;
  const detail = `Both sides are version ${version} of the model ${JSON.stringify(modelId)}. Send other_model_id, or version or other_version; GET /v1/recommender/${modelId}/versions lists the kept versions.`;
  throw platformErrors.problem('invalid-parameter', detail, { errors: [{ location: 'query:other_model_id', detail }] });
}
