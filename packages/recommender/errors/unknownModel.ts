import type { Connection } from '@vouch/platform/database/database';
import type { Problem } from '@vouch/platform/errors/problem';
import { shorten } from '@vouch/platform/errors/shorten';
import { recommenderErrors } from './recommenderErrors.ts';

/**
 * Makes the problem for an unknown model id, and for the id of an experiment where only a model can answer. A model of another organization gives the
 * same answer as an id that does not exist.
 */
export async function unknownModel(connection: Connection, organizationId: string, modelId: string): Promise<Problem> {
  const shown = JSON.stringify(shorten(modelId, 200));
  const { rows: [experiment] } = await connection.query<{ a: string; b: string }>(
    `SELECT definition #>> '{arms,a,model_id}' AS a, definition #>> '{arms,b,model_id}' AS b FROM experiments WHERE organization_id = $1 AND experiment_id = $2`,
    [organizationId, modelId],
  );
  if (experiment === undefined) return recommenderErrors.problem('unknown-model', `There is no model ${shown}. Train it first with POST /v1/recommender/train.`);
  const models = [...new Set([experiment.a, experiment.b])].map((each) => JSON.stringify(each)).join(' and ');
  return recommenderErrors.problem('unknown-model', `${shown} is an experiment and not a model. Its arms use ${models}; send the id of a model.`);
}
