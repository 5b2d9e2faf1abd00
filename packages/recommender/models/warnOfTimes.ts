import type { DataSummary } from './arrays/trainingSnapshot.ts';
import type { StoredParameters, TrainingWarning } from './training/training.schema.ts';

/** Parameters of a training that use the timestamps of interactions. */
export type TimeParameters = Partial<Pick<StoredParameters, 'maximum_interaction_age_days' | 'recency_half_life_days' | 'trending_half_life_days'>>;

/** With fewer pairs, equal timestamps can be a chance. */
const leastPairs = 20;

/** Returns warnings of timestamps that say nothing: numbers of another unit, equal ones, and missing ones that a parameter needs. */
export function warnOfTimes({ interactions }: DataSummary, parameters: TimeParameters): TrainingWarning[] {
  return [...ofFuture(interactions), ...ofEarly(interactions), ...ofEqual(interactions), ...ofMissing(interactions, parameters)];
}

function ofFuture({ future = 0, newest_timestamp: newest }: DataSummary['interactions']): TrainingWarning[] {
  if (future === 0) return [];
  const instead = newest === null ? 'as if they had no timestamp' : `as of ${newest}, the newest other timestamp`;
  return [{
    code: 'future-timestamps',
    detail: `${future} pairs of source and target have a timestamp in the future, and count ${instead}. Check the unit of the timestamps: numbers below 1e11 are seconds, others milliseconds.`,
  }];
}

function ofEarly({ early = 0 }: DataSummary['interactions']): TrainingWarning[] {
  if (early === 0) return [];
  return [{
    code: 'early-timestamps',
    detail: `${early} pairs of source and target have a timestamp in 1970. Check the unit of the timestamps: numbers below 1e11 are seconds since 1970, so the date 20240131, a number of days and 0 all mean 1970. Write dates as 2024-01-31, and leave unknown timestamps empty.`,
  }];
}

function ofEqual({ used, future = 0, oldest_timestamp: oldest, newest_timestamp: newest }: DataSummary['interactions']): TrainingWarning[] {
  if (used < leastPairs || future > 0 || oldest === undefined || oldest !== newest) return [];
  return [{
    code: 'equal-timestamps',
    detail: `All timestamps are ${oldest}, so nothing is newer than anything else: trending items are the popular ones, and the order of a history is that of the file. ` +
      'Upload the time of each interaction, or leave timestamp empty if it is unknown.',
  }];
}

function ofMissing({ rows, with_timestamp: timed }: DataSummary['interactions'], { maximum_interaction_age_days: age, recency_half_life_days: recency, trending_half_life_days: trending }: TimeParameters): TrainingWarning[] {
  const named = [
    ...(age === undefined || age === null ? [] : ['maximum_interaction_age_days']), ...(recency === undefined ? [] : ['recency_half_life_days']), ...(trending === undefined ? [] : ['trending_half_life_days']),
  ];
  // A few rows without a timestamp do not take the effect from a parameter.
  if (rows === 0 || named.length === 0 || timed >= 0.9 * rows) return [];
  const effect = `${named.length === 1 ? 'has' : 'have'} no effect${timed === 0 ? '' : ' on them'}`;
  return [{
    code: 'missing-timestamps',
    detail: `${rows - timed} of ${rows} interactions have no timestamp, so ${named.join(' and ')} ${effect}: interactions without a timestamp are kept, whatever their age. Upload timestamps, or omit the parameter.`,
  }];
}
