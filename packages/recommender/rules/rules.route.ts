import { typed } from '@vouch/platform/http/request';
import type { Platform } from '@vouch/platform/product/product';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import type { ModelCache } from '../recommendations/modelCache.ts';
import { describeFault, statusOf, type Rule } from './inForce/rule.ts';
import type { RuleBook } from './inForce/ruleBook.ts';
import { deleteRule, findRule, listRules, maxRules, putRule } from './inForce/ruleStore.ts';
import { readRule } from './readRule.ts';
import { RuleParameters, RuleRecord, RuleRequest } from './rule.schema.ts';

const path = '/v1/recommender/rules/:name';

interface RuleParts {
  models: ModelCache;
  book: RuleBook;
}

/** Routes of /v1/recommender/rules. */
export function ruleRoutes(server: FastifyInstance, platform: Pick<Platform, 'clock' | 'database'>, { models, book }: RuleParts): void {
  const { clock, database } = platform;
  const recordOf = (rule: Rule): RuleRecord => toRecord(rule, clock.now());

  typed(server).put(path, {
    config: { scope: 'model:train', problems: ['empty-rule', 'too-many-rules', 'unknown-model', 'invalid-expression', 'expression-too-expensive', 'storage-unavailable'] },
    schema: {
      operationId: 'putRule',
      summary: 'Make or replace a rule',
      description: 'A rule that is enabled and in its dates applies to all lists: of recommend, related_items and trending_items, with every key of the organization, on every server within a second. Expressions are checked with the columns of `model_id`, otherwise of the model that completed most recently; a model whose columns a rule does not fit answers without the rule, and the rule gets a warning.',
      tags: ['recommender'],
      params: RuleParameters,
      body: RuleRequest,
      response: { 200: RuleRecord },
    },
  }, async (request) => {
    const { organizationId } = request.identity;
    const rule = await readRule({ platform, models }, organizationId, request.params.name, request.body);
    const stored = await database.transaction((transaction) => putRule(transaction, rule));
    if (stored === null) {
      throw recommenderErrors.problem('too-many-rules', `The organization has ${maxRules} rules, the maximum, and none is named ${JSON.stringify(rule.name)}. Delete one, or join expressions of several with && or *.`);
    }
    await book.refresh();
    return recordOf(stored);
  });

  typed(server).get('/v1/recommender/rules', {
    config: { scope: 'model:read' },
    schema: { operationId: 'listRules', summary: 'List the rules', description: 'Returns the rules of the organization, by name.', tags: ['recommender'], response: { 200: Type.Array(RuleRecord) } },
  }, async (request) => (await listRules(database, [request.identity.organizationId])).map(recordOf));

  typed(server).get(path, {
    config: { scope: 'model:read', problems: ['unknown-rule'] },
    schema: { operationId: 'getRule', summary: 'One rule', tags: ['recommender'], params: RuleParameters, response: { 200: RuleRecord } },
  }, async (request) => {
    const { name } = request.params;
    return recordOf(knownRule(await findRule(database, request.identity.organizationId, name), name));
  });

  typed(server).delete(path, {
    config: { scope: 'model:train', problems: ['unknown-rule'] },
    schema: { operationId: 'deleteRule', summary: 'Delete a rule', description: 'Returns the deleted rule, which no longer applies.', tags: ['recommender'], params: RuleParameters, response: { 200: RuleRecord } },
  }, async (request) => {
    const { name } = request.params;
    const { organizationId } = request.identity;
    const deleted = knownRule(await database.transaction((transaction) => deleteRule(transaction, organizationId, name)), name);
    await book.refresh();
    return recordOf(deleted);
  });
}

/** @throws Problem unknown-rule */
export function knownRule(rule: Rule | null, name: string): Rule {
  if (rule !== null) return rule;
  throw recommenderErrors.problem('unknown-rule', `The organization has no rule ${JSON.stringify(name)}. PUT /v1/recommender/rules/${name} makes one.`);
}

function toRecord(rule: Rule, now: number): RuleRecord {
  return {
    name: rule.name,
    filter: rule.filter,
    boost: rule.boost,
    model_id: rule.modelId,
    valid_from: rule.validFrom?.toISOString() ?? null,
    valid_until: rule.validUntil?.toISOString() ?? null,
    enabled: rule.enabled,
    status: statusOf(rule, now),
    warnings: Object.entries(rule.warnings).map(([modelId, warning]) => ({ model_id: modelId, model_version: warning.version, detail: describeFault(warning) })),
    created_at: rule.createdAt.toISOString(),
    updated_at: rule.updatedAt.toISOString(),
  };
}
