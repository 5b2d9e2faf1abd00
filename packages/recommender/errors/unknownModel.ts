import type { Problem } from '@vouch/platform/errors/problem';
import { recommenderErrors } from './recommenderErrors.ts';

/** The same answer for an id nobody has and for one of another organization. */
export function unknownModel(modelId: string): Problem {
  const shown = modelId.length > 200 ? `${modelId.slice(0, 200)}…` : modelId;
  return recommenderErrors.problem(
    'unknown-model',
    `There is no model ${JSON.stringify(shown)}. Train it first with POST /v1/recommender/train.`,
  );
}
