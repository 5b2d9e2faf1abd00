import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Platform } from '@vouch/platform/product/product';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { findTraining } from '../models/modelStore.ts';
import type { ModelCache } from '../recommendations/modelCache.ts';
import { expressionsOf } from '../recommendations/steering/compiledExpressions.ts';
import { findRule } from '../rules/inForce/ruleStore.ts';
import { findSchedule } from '../schedules/scheduleStore.ts';
import { armNames, type ArmName } from './chooseArm.ts';
import type { ArmDefinition, ExperimentDefinition, ExperimentRequest, Guardrail } from './experiment.schema.ts';
import { refuseUnknownTypes } from './knownTypes.ts';

interface ReadParts {
  platform: Pick<Platform, 'database'>;
  models: ModelCache;
}

/**
 * Reads the definition of an experiment, and checks it: the arms must be able to answer and must differ, and the interaction types must occur.
 * @throws Problem invalid-parameter, unknown-model, model-not-ready, unknown-rule or invalid-expression
 */
export async function readExperiment(parts: ReadParts, organizationId: string, id: string, body: ExperimentRequest): Promise<ExperimentDefinition> {
  const { mode = 'split', share = 0.5, outcome, window_days: windowDays = 7, minimum_effect: minimumEffect = 0.1 } = body;
  const arms = { a: readArm(body.arms.a), b: readArm(body.arms.b) };
  if (JSON.stringify(arms.a) === JSON.stringify(arms.b)) {
    throw refused('/arms/b', `Both arms have the model ${JSON.stringify(arms.a.model_id)} and the same filter, boost and rule, so there is nothing to compare. Give arm b another model, filter, boost or rule.`);
  }
  if (mode === 'interleaved' && body.share !== undefined) throw refused('/share', 'share is given, but the mode is interleaved, in which all users get lists of both arms. Leave share out, or use the mode split.');
  if (mode === 'interleaved' && (body.guardrails ?? []).length > 0) throw refused('/guardrails', 'guardrails are given, but the mode is interleaved, in which all users get the same lists, so no guardrail can tell the arms apart. Leave them out, or use the mode split.');
  const guardrails = (body.guardrails ?? []).map(readGuardrail);
  if ((await findTraining(parts.platform.database, organizationId, id)) !== null) {
    throw refused('path:id', `${JSON.stringify(id)} is the id of a model, so requests with this model_id could mean both. Choose another id for the experiment.`);
  }
  if ((await findSchedule(parts.platform.database, organizationId, id)) !== null) {
    throw refused('path:id', `${JSON.stringify(id)} is the id of a model that a schedule trains. Choose another id for the experiment, or delete the schedule with DELETE /v1/recommender/schedules/${id}.`);
  }
  for (const name of armNames) await checkArm(parts, organizationId, arms[name], name);
  await refuseUnknownTypes(parts.platform.database, organizationId, [arms.a.model_id, arms.b.model_id], [
    { location: '/outcome', types: outcome }, ...guardrails.map(({ types }, at) => ({ location: `/guardrails/${at}/types`, types })),
  ]);
  return { arms, mode, share, outcome: [...new Set(outcome)], window_days: windowDays, minimum_effect: minimumEffect, guardrails };
}

function readArm(arm: ExperimentRequest['arms']['a']): ArmDefinition {
  return { model_id: arm.model_id, filter: arm.filter ?? null, boost: arm.boost ?? null, rule: arm.rule ?? null };
}

function readGuardrail({ metric, types = [], tolerance }: NonNullable<ExperimentRequest['guardrails']>[number], at: number): Guardrail {
  if (metric === 'interactions' && types.length === 0) throw refused(`/guardrails/${at}/types`, `guardrails[${at}] has the metric interactions and no types. Name the interaction types that must not become fewer, for example ["click"].`);
  if (metric === 'empty_lists' && types.length > 0) throw refused(`/guardrails/${at}/types`, `guardrails[${at}] has the metric empty_lists, which has no interaction types. Leave types out, or use the metric interactions.`);
  return { metric, types: [...new Set(types)], tolerance: tolerance ?? (metric === 'interactions' ? 0.1 : 0.01) };
}

/** @throws Problem unknown-model, model-not-ready, unknown-rule or invalid-expression with which an arm could not answer */
export async function checkArm({ platform, models }: ReadParts, organizationId: string, { model_id: modelId, filter, boost, rule }: ArmDefinition, name: ArmName): Promise<void> {
  if (rule !== null && (await findRule(platform.database, organizationId, rule)) === null) {
    const detail = `The organization has no rule ${JSON.stringify(rule)}, which arm ${name} names. PUT /v1/recommender/rules/${rule} makes one.`;
    throw recommenderErrors.problem('unknown-rule', detail, { errors: [{ location: `/arms/${name}/rule`, detail }] });
  }
  const held = await models.hold(organizationId, modelId);
  try {
    const expressions = expressionsOf(held.recommender.model);
    if (filter !== null) expressions.filter(filter);
    if (boost !== null) expressions.boost(boost);
  } finally {
    held.release();
  }
}

function refused(location: string, detail: string): Error {
  return platformErrors.problem('invalid-parameter', detail, { errors: [{ location, detail }] });
}
