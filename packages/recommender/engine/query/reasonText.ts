import type { ModelReader } from '../modelFile/openModel.ts';
import type { FieldValue, Finding } from './reason.ts';

/** Items, values or fields that a sentence names; it counts the others. */
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
      return attributeText(source, [finding, ...(finding.together_with ?? [])]);
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

function attributeText(source: string, attributes: readonly FieldValue[]): string {
  const groups = groupByField(attributes);
  const [{ field, word, values } = { field: '', word: false, values: [''] }] = groups;
  if (groups.length > 1) return `In common with ${source}: ${firstOf(groups.map(fieldText), groups.length).join('; ')}.`;
  if (word) return `The ${labelOf(field)} contains ${quoted(values)}, like ${source}.`;
  const start = values.every((value) => range.test(value)) ? `Similar ${labelOf(field)} to` : `Same ${labelOf(field)} as`;
  return `${start} ${source}: ${joinSome(values)}.`;
}

interface FieldValues {
  field: string;
  word: boolean;
  values: string[];
}

/** Values and words of one field are apart: both items have the whole value, but only the word of a text. */
function groupByField(attributes: readonly FieldValue[]): FieldValues[] {
  const groups = new Map<string, FieldValues>();
  for (const { field, value, word = false } of attributes) {
    const key = `${word} ${field}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { field, word, values: [value] });
    else group.values.push(value);
  }
  return [...groups.values()];
}

/** @example 'genres Drama and Crime' */
function fieldText({ field, word, values }: FieldValues): string {
  return word ? `${quoted(values)} in the ${labelOf(field)}` : `${labelOf(field)} ${joinSome(values)}`;
}

function quoted(words: readonly string[]): string {
  return joinSome(words.map((word) => `“${word}”`));
}

function labelOf(field: string): string {
  return (field.split('.').pop() ?? field).replaceAll('_', ' ');
}

/** Names the first of the items and counts the others. @param count number of the items, including the ones without an id in `ids` */
export function namesOfItems(model: ModelReader, ids: readonly string[], count: number): string {
  return joinSome(ids.map((id) => nameOf(model, model.findNode(id))), count);
}

function people(count: number): string {
  return count === 1 ? 'one person' : `${count} people`;
}

/** @param count number of all, including the ones that `texts` does not contain */
function joinSome(texts: readonly string[], count = texts.length): string {
  const all = firstOf(texts, count);
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** The first three texts, and the number of the others. */
function firstOf(texts: readonly string[], count: number): string[] {
  const shown = texts.slice(0, namedItems);
  const others = count - shown.length;
  return others > 0 ? [...shown, others === 1 ? 'one other' : `${others} others`] : shown;
}

function nameOf(model: ModelReader, node: number): string {
  const name = model.names.get(node) || model.ids.get(node);
  const characters = Array.from(name);
  return `“${characters.length > maxNameLength ? `${characters.slice(0, maxNameLength - 1).join('')}…` : name}”`;
}
