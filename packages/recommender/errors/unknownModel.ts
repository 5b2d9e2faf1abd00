import type { Problem } from '@vouch/platform/errors/problem';
import { recommenderErrors } from './recommenderErrors.ts';

/** Problem for an unknown model id. A model of another organization gives the same answer as an id that does not exist. */
export function unknownModel(modelId: string): Problem {
  const shown = modelId.length > 200 ? `${modelId.slice(0, 200)}…` : modelId;
  return recommenderErrors.problem(
    'unknown-model',
    `There is no model ${JSON.stringify(shown)}. Train it first with POST /v1/recommender/train.`,
  );
}
