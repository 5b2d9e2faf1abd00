import type { ModelReader } from '../../engine/modelFile/openModel.ts';
import { Row } from '../../engine/modelFile/wordRows.ts';
import { relatedLimit } from '../../engine/neighbours/relatedLists.ts';
import type { GivenHistory } from '../../engine/query/givenHistory.ts';
import { intersectUsers } from '../../engine/query/sharedUsers.ts';
import { maxHistory } from '../../engine/query/userItems.ts';
import { quote, type Cause } from './cause.ts';

/**
 * Returns why the complete list of related items of an item does not contain another item of an allowed type.
 * @param source item of the list
 */
export function missingFromRelated(model: ModelReader, source: number, target: number): Cause {
  const [from, to] = [model.itemNode[source] ?? 0, model.itemNode[target] ?? 0].map((node) => quote(model.ids.get(node)));
  const shared = countShared(model, source, target);
  const kept = keptOfType(model, source, model.typeOfItem(target));
  const nearer = kept.count < relatedLimit ? `The model keeps ${kept.count} related items of this type for ${from}` :
    `The model keeps ${relatedLimit} related items per type for ${from}, and the last of them has the score ${kept.lastScore.toFixed(6)}`;
  if (shared === 0) return { code: 'no_common_users', text: `Nobody has interactions with both ${from} and ${to}. ${nearer}; ${to} is not near enough by attributes and embeddings.` };
  return { code: 'not_among_nearest', text: `${people(shared)} interactions with both ${from} and ${to}. ${nearer}; ${to} is not among them.` };
}

/** Returns why the complete list of a history does not contain an item of an allowed type that the history does not contain. */
export function missingFromHistory(model: ModelReader, history: GivenHistory, target: number): Cause {
  const id = quote(model.ids.get(model.itemNode[target] ?? 0));
  const items = history.items.slice(-maxHistory);
  const leading = items.filter((item) => leadsTo(model, item, target)).length;
  if (leading > 0) {
    return { code: 'outweighed', text: `${leading} of the ${items.length} items of the history lead to ${id}, but rejected items and negative relations take away as much or more, so that its ranking value is not above 0.` };
  }
  const sharing = items.filter((item) => countShared(model, item, target) > 0).length;
  if (sharing === 0) {
    return { code: 'no_common_users', text: `None of the ${items.length} items of the history has users in common with ${id}, and ${id} is not near enough to them by attributes and embeddings.` };
  }
  return { code: 'not_among_nearest', text: `${sharing} of the ${items.length} items of the history have users in common with ${id}, but for each of them the model keeps other items, which are nearer.` };
}

export function missingFromTrending(model: ModelReader, target: number): Cause {
  const id = quote(model.ids.get(model.itemNode[target] ?? 0));
  return { code: 'not_trending', text: `The list has trending items, and ${id} has no more interactions than usual around the time of the newest interaction.` };
}

function countShared(model: ModelReader, one: number, other: number): number {
  const [rowOfOne, rowOfOther] = [new Row(), new Row()];
  model.audience.read(one, rowOfOne);
  model.audience.read(other, rowOfOther);
  return intersectUsers(rowOfOne, rowOfOther).length;
}

function keptOfType(model: ModelReader, source: number, type: number): { count: number; lastScore: number } {
  const row = new Row();
  model.related.read(source, row);
  const entries = Array.from({ length: row.count }, (_, at) => at).filter((at) => model.typeOfItem(row.ints[row.start + at] ?? 0) === type);
  const last = entries.at(-1);
  return { count: entries.length, lastScore: last === undefined ? 0 : (row.floats[row.start + 2 * row.count + last] ?? 0) };
}

/** Whether the rows from which lists of users are computed connect the items, with any sign. */
function leadsTo(model: ModelReader, item: number, target: number): boolean {
  const row = new Row();
  return [model.operator, model.transitions].some((table) => {
    if (table === null) return false;
    table.read(item, row);
    return row.ints.subarray(row.start, row.start + row.count).includes(target);
  });
}

const people = (count: number): string => (count === 1 ? 'One person has' : `${count} people have`);
