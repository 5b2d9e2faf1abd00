import type { Platform } from '@vouch/platform/product/product';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { findNewestModelId } from '../models/modelStore.ts';
import type { ChosenArm, ExperimentAnswers } from './experimentAnswers.ts';

/**
 * Returns the given model id; without one, the id of the organization's most recently completed model.
 * @throws Problem `unknown-model` if no model is complete
 */
export async function chooseModelId(platform: Platform, organizationId: string, given: string | undefined): Promise<string> {
  const modelId = given ?? (await findNewestModelId(platform.database, organizationId));
  if (modelId !== null) return modelId;
  throw recommenderErrors.problem(
    'unknown-model',
    'No model_id was given, and no model of the organization has completed a training. Train one with POST /v1/recommender/train.',
  );
}

/**
 * Returns the given model id, the model id of the user's arm if the id is that of an experiment, or the id of the newest model.
 * @param experiments null if there are none
 * @param users entities of the request; null if the route has none
 * @throws Problem `unknown-model` if no model is complete; `invalid-parameter` if the experiment cannot answer the request
 */
export async function chooseModelOrArm(
  platform: Platform, experiments: ExperimentAnswers | null, organizationId: string, given: string | undefined, users: readonly string[] | null,
): Promise<{ modelId: string; arm: ChosenArm | null }> {
  const arm = given === undefined ? null : ((await experiments?.choose(organizationId, given, users)) ?? null);
  return { modelId: arm?.modelId ?? (await chooseModelId(platform, organizationId, given)), arm };
}
