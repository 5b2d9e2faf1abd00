import { shorten } from '@vouch/platform/errors/shorten';
import type { FailedClause } from '../steering/steering.ts';

/** Why a list does not contain an item: codes for programs, with their descriptions in the documentation. Retired codes are never reused. */
export const causes = {
  unknown_source: 'the model does not know the source',
  unknown_target: 'the model does not know the target',
  not_an_item: 'the target is known, but is not an item, for example a user',
  same_item: 'source and target are the same item',
  unavailable: 'the target was deleted, or sent with `available: false`',
  seen: 'the target is in the history of the source',
  disliked: 'the source rejected the target',
  wrong_type: 'the list does not have the type of the target',
  filtered: '`clause` of the filter, or of the filter of `rule`, is not true',
  below_threshold: 'the score is below `threshold`',
  beyond_limit: 'the rank is larger than `max_recommendations`',
  no_common_users: 'nobody connects the target with the source, and the target is not near enough by attributes',
  not_among_nearest: 'people connect the target with the source, but the model keeps other items, which are nearer',
  outweighed: 'the history leads to the target, but rejected items and negative relations take away as much or more',
  not_trending: 'the list has trending items, and the target has no more interactions than usual',
} as const;

/** One cause of absence, with a sentence. Each cause alone keeps the item out of the list. */
export interface Cause {
  code: keyof typeof causes;
  text: string;
  /** Only for filtered: the part of the filter that is not true, and the rule that has the filter. */
  clause?: string;
  rule?: string;
}

/** Quotes an id for a sentence; shortens ids over 100 characters. */
export function quote(id: string): string {
  return JSON.stringify(shorten(id, 100));
}

export function filteredCause({ rule, text, value, columns }: FailedClause): Cause {
  const values = columns.map((column) => `${column.text} is ${column.value === undefined ? 'absent' : JSON.stringify(column.value).slice(0, 200)}`);
  const because = values.length === 0 ? '' : `: ${values.join(', ')}`;
  const filter = rule === null ? 'The filter' : `The filter of the rule ${quote(rule)}`;
  return { code: 'filtered', text: `${filter} leaves the item out. ${text} is ${value === false ? 'false' : 'not true'}${because}.`, clause: text, ...(rule === null ? {} : { rule }) };
}
