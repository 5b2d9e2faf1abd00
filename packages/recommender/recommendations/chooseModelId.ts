import type { Platform } from '@vouch/platform/product/product';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import { findNewestModelId } from '../models/modelStore.ts';

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
