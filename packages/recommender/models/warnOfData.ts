import { nearestName } from '@vouch/platform/config/nearestName';
import type { DataSummary } from './arrays/trainingSnapshot.ts';
import { largestWeight } from './sql/interactionWeights.ts';
import type { StoredParameters, TrainingWarning } from './training/training.schema.ts';
import { warnOfEmptied } from './warnOfEmptied.ts';
import { warnOfIds } from './warnOfIds.ts';
import { warnOfTexts } from './warnOfTexts.ts';
import { warnOfTimes, type TimeParameters } from './warnOfTimes.ts';
import { warnOfTypes } from './warnOfTypes.ts';

/** Returns warnings of weights, ratings, types, timestamps, ids, metadata and names that had no or an unintended effect; the training continues. */
export function warnOfData(summary: DataSummary, parameters: Pick<StoredParameters, 'weights'> & TimeParameters): TrainingWarning[] {
  const { interactions } = summary;
  const { weights = {} } = parameters;
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
  warnings.push(...warnOfTypes(summary), ...warnOfTimes(summary, parameters), ...warnOfIds(summary), ...warnOfEmptied(summary), ...warnOfTexts(summary));
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
  const { neutral = 0, self } = interactions.ignored;
  if (interactions.used === 0 && (interactions.disliked ?? 0) === 0 && neutral + self > 0) {
    warnings.push({
      code: 'no-likes',
      detail: `None of the ${interactions.rows} interactions counts: ${neutral} pairs of source and target have the weight 0, and ${self} interactions have the same id as source and target. ` +
        'Related items follow metadata alone, and no list is personal. Check weights, and the columns source_id and target_id.',
    });
  }
  return warnings;
}
