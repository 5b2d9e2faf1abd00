import { nearestName } from '@vouch/platform/config/nearestName';
import type { DataSummary, IdCounts } from './arrays/trainingSnapshot.ts';
import { largestWeight } from './sql/interactionWeights.ts';
import type { StoredParameters, TrainingWarning } from './training/training.schema.ts';

/** Returns warnings of weights, ratings, timestamps and ids that had no or an unintended effect; the training continues. */
export function warnOfData({ entities, interactions }: DataSummary, { weights = {} }: Pick<StoredParameters, 'weights'>): TrainingWarning[] {
  const known = Object.keys(interactions.by_type);
  const warnings: TrainingWarning[] = [];
  // The summary has the most frequent types only, so with more types nothing is known about the others.
  const unknown = interactions.types > known.length ? [] : Object.keys(weights).filter((type) => !known.includes(type));
  for (const type of unknown) {
    const nearest = nearestName(type, known);
    const hint = nearest === null ? `The types are ${known.slice(0, 10).map((name) => JSON.stringify(name)).join(', ')}.` : `Did you mean ${JSON.stringify(nearest)}?`;
    warnings.push({ code: 'unknown-type', detail: `No interaction has the type ${JSON.stringify(type)} of weights. ${hint}` });
  }
  const { weighed, rated } = interactions;
  if (weighed !== undefined && weighed.invalid > 0) {
    warnings.push({
      code: 'invalid-weights',
      detail: `${weighed.invalid} interactions have a weight in their metadata that is not a number from -${largestWeight} to ${largestWeight}; ` +
        'they count by their type.',
    });
  }
  if (rated !== undefined && rated.invalid > 0) {
    const scale = rated.scale === null ? '' : ` from ${rated.scale.lowest} to ${rated.scale.highest}, the scale of the others`;
    warnings.push({ code: 'invalid-ratings', detail: `${rated.invalid} of ${rated.rows} ratings are not numbers${scale}; these interactions count by their type.` });
  }
  const { future = 0, newest_timestamp: newest } = interactions;
  if (future > 0) {
    const instead = newest === null ? 'as if they had no timestamp' : `as of ${newest}, the newest other timestamp`;
    warnings.push({
      code: 'future-timestamps',
      detail: `${future} pairs of source and target have a timestamp in the future, and count ${instead}. Check the unit of the timestamps: numbers below 1e11 are seconds, others milliseconds.`,
    });
  }
  const { early = 0 } = interactions;
  if (early > 0) {
    warnings.push({
      code: 'early-timestamps',
      detail: `${early} pairs of source and target have a timestamp in 1970. Check the unit of the timestamps: numbers below 1e11 are seconds since 1970, so the date 20240131, a number of days and 0 all mean 1970. Write dates as 2024-01-31, and leave unknown timestamps empty.`,
    });
  }
  const { ids } = interactions;
  if (ids !== undefined && ids.shared > 0) {
    warnings.push({
      code: 'shared-ids',
      detail: `${ids.shared} ${ids.shared === 1 ? 'id is' : 'ids are'} both source_id and target_id of interactions. Equal ids mean one entity, which has a history and is recommended: its lists are those of the item, not of the user. ` +
        'If users and items are numbered separately, upload them with different ids, such as u1 and f1. If sources and targets are the same kind of thing, such as people who follow people, nothing is wrong.',
    });
  }
  if (ids !== undefined && entities.distinct > 0 && rarelyMatch(ids)) {
    warnings.push({
      code: 'ids-without-entity',
      detail: `Of ${ids.targets} different target_id, ${ids.targets - ids.targets_without_entity} have an entity, and of ${ids.sources} different source_id, ${ids.sources - ids.sources_without_entity}, although there are ${entities.distinct} entities. ` +
        'Check that both files write ids in the same way: 1, 1.0 and f1 are three ids. Without entities, recommended items have no name, and entity_type and filters leave them out.',
    });
  }
  if (interactions.rows === 0) {
    warnings.push({
      code: 'no-interactions',
      detail: 'The data contains no interactions. Related items follow metadata alone, and lists for users and of trending items are empty. Upload interactions and train again.',
    });
  }
  if (interactions.used === 0 && (interactions.disliked ?? 0) > 0) {
    warnings.push({
      code: 'only-dislikes',
      detail: `All ${interactions.disliked} pairs of source and target have negative weights. Related items follow metadata alone, and no list is personal. ` +
        'Check weights, and the types and ratings of the interactions.',
    });
  }
  return warnings;
}

/** Whether fewer than a tenth of the targets, and of the sources, have an entity: entities can be those of users alone, or of items alone. */
function rarelyMatch(ids: IdCounts): boolean {
  return ids.targets > 0 && ids.targets_without_entity > 0.9 * ids.targets && ids.sources_without_entity > 0.9 * ids.sources;
}
