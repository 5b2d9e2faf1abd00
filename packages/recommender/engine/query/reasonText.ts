import type { ModelReader } from '../modelFile/openModel.ts';
import type { Finding } from './reason.ts';

/** Items that a sentence names; it counts the others. */
const namedItems = 3;
const maxNameLength = 80;
const range = /^-?[\d.]+(?:e[+-]?\d+)?–-?[\d.]+(?:e[+-]?\d+)?$/;

/**
 * The sentence of a finding, with the names of items (the id of an item without a name) and without any user's name.
 * @param node source of the list, -1 for none
 * @example 'Same genres as “Toy Story (1995)”: Animation.'
 */
export function reasonText(model: ModelReader, node: number, finding: Finding): string {
  const source = node < 0 ? '' : nameOf(model, node);
  switch (finding.kind) {
    case 'co_interaction':
      return commonText(model, source, finding);
    case 'attribute':
      return attributeText(source, finding.field, finding.value);
    case 'history':
      return `Because you chose ${namesOfItems(model, finding.ids, finding.count)}.`;
    case 'trending':
      return finding.count === 0 ? 'Trending now.' : `Trending now, chosen by ${people(finding.count)}.`;
  }
}

function commonText(model: ModelReader, source: string, { count, through }: Finding & { kind: 'co_interaction' }): string {
  const chose = through === undefined ? source : `${nameOf(model, model.findNode(through))}, which is related to ${source},`;
  return `Chosen by ${people(count)} who also chose ${chose.replace(/,$/, '')}.`;
}

function attributeText(source: string, field: string, value: string): string {
  if (field === 'name') return `The name contains “${value}”, like ${source}.`;
  const label = (field.split('.').pop() ?? field).replaceAll('_', ' ');
  return range.test(value) ? `Similar ${label} to ${source}: ${value}.` : `Same ${label} as ${source}: ${value}.`;
}

/** Names the first of the items and counts the others. @param count number of the items, including the ones without an id in `ids` */
export function namesOfItems(model: ModelReader, ids: readonly string[], count: number): string {
  return joinNames(ids.map((id) => nameOf(model, model.findNode(id))), count);
}

function people(count: number): string {
  return count === 1 ? 'one person' : `${count} people`;
}

function joinNames(names: readonly string[], count: number): string {
  const shown = names.slice(0, namedItems);
  const others = count - shown.length;
  const all = others > 0 ? [...shown, others === 1 ? 'one other' : `${others} others`] : shown;
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

function nameOf(model: ModelReader, node: number): string {
  const name = model.names.get(node) || model.ids.get(node);
  const characters = Array.from(name);
  return `“${characters.length > maxNameLength ? `${characters.slice(0, maxNameLength - 1).join('')}…` : name}”`;
}
