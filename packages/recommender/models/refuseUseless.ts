import { shorten } from '@vouch/platform/errors/shorten';
import { recommenderErrors } from '../errors/recommenderErrors.ts';
import type { DataSummary } from './arrays/trainingSnapshot.ts';
import type { StoredParameters } from './training/training.schema.ts';

/**
 * Maximum number of item types. Every item has one list per type, so a training with 60,000 types of one item each did not
 * finish.
 */
const maxTypes = 1_000;

/**
 * Rejects data without a usable interaction, and data with so many types that the type column must contain something else.
 * @throws Problem `no-usable-data` or `too-many-types`
 */
export function refuseUseless(summary: DataSummary, parameters: StoredParameters): void {
  const { interactions, entities, filter } = summary;
  if (entities.types > maxTypes) {
    throw recommenderErrors.problem(
      'too-many-types',
      `The ${entities.distinct} entities have ${entities.types} different types; a model has at most ${maxTypes}. ` +
        'Check the contents of the column type, and put finer distinctions into metadata.',
    );
  }
  if (filter !== undefined && interactions.used === 0 && (filter.interactions > 0 || filter.entities === entities.distinct)) {
    throw recommenderErrors.problem(
      'no-usable-data',
      `The filter ${JSON.stringify(shorten(parameters.filter ?? '', 200))} leaves none of the ${filter.interactions} pairs of source and target, and ` +
        `${entities.distinct - filter.entities} of ${entities.distinct} entities. An item without a column that the filter names is left out. Change parameters.filter or omit it.`,
    );
  }
  if (interactions.used === 0 && interactions.ignored.too_old > 0) {
    throw recommenderErrors.problem(
      'no-usable-data',
      `None of the ${interactions.rows} interactions is new enough: maximum_interaction_age_days is ` +
        `${parameters.maximum_interaction_age_days}, and the newest timestamp is ${interactions.newest_timestamp}. ` +
        'Raise maximum_interaction_age_days, omit it, or upload newer interactions.',
    );
  }
  if (interactions.used === 0 && entities.distinct === 0 && (interactions.disliked ?? 0) + (interactions.ignored.neutral ?? 0) > 0) {
    throw recommenderErrors.problem(
      'no-usable-data',
      `None of the ${interactions.rows} interactions counts as a like: all have negative weights or the weight 0. ` +
        'Check parameters.weights and the types, weights and ratings of the interactions, or upload entities with metadata.',
    );
  }
  if (interactions.used === 0 && entities.distinct === 0) {
    throw recommenderErrors.problem(
      'no-usable-data',
      `None of the ${interactions.rows} interactions can be used: each one names the same id as source and target. ` +
        'Upload interactions between different ids, or entities with metadata.',
    );
  }
}
