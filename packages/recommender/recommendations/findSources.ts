import type { Problem } from '@vouch/platform/errors/problem';
import type { RecentChanges } from '../engine/query/recentChanges.ts';
import type { Recommender, Source } from '../engine/query/recommender.ts';
import { recommenderErrors } from '../errors/recommenderErrors.ts';

/**
 * Returns the sources whose lists are answered, in the order of the ids.
 * @param unknownAnswer `none` for a route that has no list for unknown ids
 * @throws Problem `unknown-entity` if every id is unknown and unknown ids do not get trending items
 */
export function findSources(recommender: Recommender, ids: readonly string[], unknownAnswer: 'error' | 'trending' | 'none' = 'error'): { listed: Source[]; unknown: string[] } {
  const listed: Source[] = [];
  const unknown: string[] = [];
  for (const id of ids) {
    const node = recommender.model.findNode(id);
    const known = node >= 0 || recommender.knows(id);
    if (!known) unknown.push(id);
    if (node >= 0) listed.push(node);
    else if (known || unknownAnswer === 'trending') listed.push(id);
  }
  if (listed.length === 0) throw unknownEntities(unknown, recommender.recent, unknownAnswer === 'none' ? '' : trendingHint);
  return { listed, unknown };
}

/**
 * Returns the items among the ids, for keys that may not ask for users: the id of a user is answered like an id that the model does not know.
 * @returns in `listed`, null stands for an unknown id that gets trending items
 * @throws Problem `unknown-entity` if no id is an item and unknown ids do not get trending items
 */
export function findItems({ model }: Recommender, ids: readonly string[], unknownAnswer: 'error' | 'trending' = 'error'): { listed: (number | null)[]; unknown: string[] } {
  const listed: (number | null)[] = [];
  const unknown: string[] = [];
  for (const id of ids) {
    const node = model.findNode(id);
    const isItem = node >= 0 && (model.nodeItem[node] ?? -1) >= 0;
    if (!isItem) unknown.push(id);
    if (isItem) listed.push(node);
    else if (unknownAnswer === 'trending') listed.push(null);
  }
  if (listed.length === 0) throw unknownEntities(unknown, null, trendingHint);
  return { listed, unknown };
}

const trendingHint = ' For new visitors, unknown=trending returns trending items.';

/** @param recent null if the answer must not depend on what was sent */
function unknownEntities(unknown: readonly string[], recent: RecentChanges | null, hint: string): Problem {
  const first = unknown.slice(0, 5);
  const shown = first.map((id) => JSON.stringify(id.slice(0, 100)));
  const causes = [...new Set(first.flatMap((id) => recent?.unknownCause(id) ?? []))];
  return recommenderErrors.problem(
    'unknown-entity',
    (unknown.length === 1 ? `The model does not know the id in entity_id, ${shown[0]}. ` : `The model knows none of the ${unknown.length} ids in entity_id (${shown.join(', ')}${unknown.length > 5 ? ', …' : ''}). `) +
      causes.map((cause) => `${cause} `).join('') +
      `Check the spelling. Entities of files that were uploaded after the training need another training; other ids must be uploaded first, as entities or in interactions.${hint}`,
  );
}
