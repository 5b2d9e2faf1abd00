import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Platform } from '@vouch/platform/product/product';
import type { ModelReader } from '../engine/modelFile/openModel.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { findNewestModelId } from '../models/modelStore.ts';
import type { HeldModel, ModelCache } from '../recommendations/modelCache.ts';
import { parsePart } from '../expressions/expressionProblem.ts';
import { expressionsOf } from '../recommendations/steering/compiledExpressions.ts';
import type { Rule } from './inForce/rule.ts';
import type { RuleRequest } from './rule.schema.ts';

/** Maximum estimated number of evaluations of parts that one evaluation of an expression takes; a macro over a list counts each part 20 times. */
const maxWork = 500;

interface ReadParts {
  platform: Pick<Platform, 'clock' | 'database'>;
  models: ModelCache;
}

/**
 * Reads a rule from a request, and checks it with the columns of its model; without model_id, of the model that completed most recently. If no model can
 * answer yet, only the syntax is checked.
 * @throws Problem empty-rule, invalid-parameter, invalid-expression, expression-too-expensive or unknown-model
 */
export async function readRule({ platform, models }: ReadParts, organizationId: string, name: string, body: RuleRequest): Promise<Rule> {
  const { filter = null, boost = null, model_id: modelId = null, enabled = true } = body;
  if (filter === null && boost === null) {
    throw recommenderErrors.problem('empty-rule', 'Neither filter nor boost is given, so the rule would change no list. Send one of them, or both.');
  }
  const [validFrom, validUntil] = [readDate(body.valid_from), readDate(body.valid_until)];
  if (validFrom !== null && validUntil !== null && validUntil <= validFrom) {
    const detail = `valid_until is ${validUntil.toISOString()}, which is not after valid_from, ${validFrom.toISOString()}, so the rule would never apply. Send a later valid_until, or none.`;
    throw platformErrors.problem('invalid-parameter', detail, { errors: [{ location: '/valid_until', detail, value: body.valid_until }] });
  }
  const held = await holdForCheck({ platform, models }, organizationId, modelId);
  try {
    if (filter !== null) checkExpression('filter', filter, held?.recommender.model ?? null);
    if (boost !== null) checkExpression('boost', boost, held?.recommender.model ?? null);
  } finally {
    held?.release();
  }
  const now = new Date(platform.clock.now());
  return { organizationId, name, filter, boost, modelId, validFrom, validUntil, enabled, createdAt: now, updatedAt: now, warnings: {} };
}

const readDate = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));

/** Returns null if no model can answer yet. @throws Problem unknown-model */
async function holdForCheck({ platform, models }: ReadParts, organizationId: string, given: string | null): Promise<HeldModel | null> {
  const modelId = given ?? (await findNewestModelId(platform.database, organizationId));
  if (modelId === null) return null;
  try {
    return await models.hold(organizationId, modelId);
  } catch (error) {
    if ((error as { code?: string }).code === 'model-not-ready') return null;
    throw error;
  }
}

function checkExpression(part: 'filter' | 'boost', text: string, model: ModelReader | null): void {
  if (model === null) return parsePart(part, text);
  const expressions = expressionsOf(model);
  const { work } = part === 'filter' ? expressions.filter(text) : expressions.boost(text);
  if (work <= maxWork) return;
  const detail = `${part} takes about ${work} evaluations of its parts per item, and every list evaluates it; at most ${maxWork} are allowed. Parts of exists() and all() count 20 times. Make the expression smaller.`;
  throw recommenderErrors.problem('expression-too-expensive', detail, { errors: [{ location: `/${part}`, detail }] });
}
