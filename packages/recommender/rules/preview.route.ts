import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { nextTurn, typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import type { AnswerRecorder } from '../answers/answerRecorder.ts';
import type { ModelCache } from '../recommendations/modelCache.ts';
import type { RuleBook } from './inForce/ruleBook.ts';
import { findRule } from './inForce/ruleStore.ts';
import { RulePreview } from './preview.schema.ts';
import { previewRule } from './previewRule.ts';
import { readRule } from './readRule.ts';
import { RuleParameters, RulePreviewRequest } from './rule.schema.ts';
import { knownRule } from './rules.route.ts';

/** Maximum number of previews at once in one process, because a preview ranks up to 2,000 answers. */
const maxPreviews = 2;

interface PreviewRouteParts {
  models: ModelCache;
  book: RuleBook;
  answers: AnswerRecorder;
}

/** POST /v1/recommender/rules/{name}/preview. */
export function previewRoute(server: FastifyInstance, platform: Pick<Platform, 'clock' | 'database'>, { models, book, answers }: PreviewRouteParts): void {
  let running = 0;
  typed(server).post('/v1/recommender/rules/:name/preview', {
    config: { scope: 'model:train', changesNothing: true, problems: ['unknown-rule', 'empty-rule', 'unknown-model', 'invalid-expression', 'expression-too-expensive', 'storage-unavailable'] },
    schema: {
      operationId: 'previewRule',
      summary: 'Preview a rule',
      description: 'Ranks the latest 1,000 recorded answers of the organization again, without and with the rule, and returns what changes. Nothing is stored, and no list changes. The body is the rule as for PUT; without a body, the stored rule. Other rules in force apply to both rankings; whether the previewed rule is enabled and in its dates does not matter.',
      tags: ['recommender'],
      params: RuleParameters,
      body: RulePreviewRequest,
      response: { 200: RulePreview },
    },
  }, async (request) => {
    const { organizationId } = request.identity;
    const { name } = request.params;
    if (running >= maxPreviews) {
      throw platformErrors.problem('overloaded', `${running} previews run in this server already. Send the request again in a few seconds.`, { headers: { 'retry-after': '5' } });
    }
    running += 1;
    try {
      const rule = Object.keys(request.body).length === 0 ? knownRule(await findRule(platform.database, organizationId, name), name) : await readRule({ platform, models }, organizationId, name, request.body);
      await book.refresh();
      await answers.flush();
      return await previewRule({ platform, models, book, nextTurn: () => nextTurn(request) }, rule);
    } finally {
      running -= 1;
    }
  });
}
