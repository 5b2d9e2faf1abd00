import type { ModelReader } from '../modelFile/openModel.ts';
import { isolateText } from './isolateText.ts';
import type { FieldValue, Finding } from './reason.ts';

/** Items, values or fields that a sentence names; it counts the others. */
const namedItems = 3;
const maxNameLength = 80;
const range = /^-?[\d.]+(?:e[+-]?\d+)?–-?[\d.]+(?:e[+-]?\d+)?$/;

/** Nodes of the source of a list, -1 for none, and of the recommended item. */
interface Pair {
  source: number;
  target: number;
}

/**
 * The sentence of a finding, with the names of items (the id of an item without a name) and without any user's name. Items with the
 * name of the recommended item, or of another item of the sentence, have their ids too. Right-to-left texts are isolated.
 * @param isCurrent whether the recommended item is in demand now
 * @example 'Same genres as “Toy Story (1995)”: Animation.'
 */
export function reasonText(model: ModelReader, pair: Pair, finding: Finding, isCurrent: boolean): string {
  switch (finding.kind) {
    case 'co_interaction':
      return commonText(model, pair, finding);
    case 'attribute':
      return attributeText(nameOf(model, pair.source, [pair.target]), [finding, ...(finding.together_with ?? [])]);
    case 'history':
      return `Because you chose ${namesOfItems(model, finding.ids, finding.count, [pair.target])}.`;
    case 'trending':
      return trendingText(finding.count, isCurrent);
  }
}

/** Lists of trending items end with items that hardly anybody has chosen of late. */
function trendingText(count: number, isCurrent: boolean): string {
  if (count === 0) return 'Trending now.';
  return isCurrent ? `Trending now, chosen by ${people(count)}.` : `Chosen by ${people(count)}.`;
}

function commonText(model: ModelReader, { source, target }: Pair, { count, through }: Finding & { kind: 'co_interaction' }): string {
  const third = through === undefined ? -1 : model.findNode(through);
  const named = nameOf(model, source, [target, third]);
  const chose = third < 0 ? named : `${nameOf(model, third, [target, source])}, which is related to ${named},`;
  return `Chosen by ${people(count)} who also chose ${chose.replace(/,$/, '')}.`;
}

function attributeText(source: string, attributes: readonly FieldValue[]): string {
  const groups = groupByField(attributes);
  const [{ field, word, values } = { field: '', word: false, values: [''] }] = groups;
  if (groups.length > 1) return `In common with ${source}: ${firstOf(groups.map(fieldText), groups.length).join('; ')}.`;
  if (word) return `The ${labelOf(field)} contains ${quoted(values)}, like ${source}.`;
  const start = values.every((value) => range.test(value)) ? `Similar ${labelOf(field)} to` : `Same ${labelOf(field)} as`;
  return `${start} ${source}: ${joinSome(values.map(isolateText))}.`;
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
  return word ? `${quoted(values)} in the ${labelOf(field)}` : `${labelOf(field)} ${joinSome(values.map(isolateText))}`;
}

function quoted(words: readonly string[]): string {
  return joinSome(words.map((word) => `“${isolateText(word)}”`));
}

function labelOf(field: string): string {
  return isolateText((field.split('.').pop() ?? field).replaceAll('_', ' '));
}

/**
 * Names the first of the items and counts the others.
 * @param count number of the items, including the ones without an id in `ids`
 * @param others nodes beside the sentence whose names the reader sees
 */
export function namesOfItems(model: ModelReader, ids: readonly string[], count: number, others: readonly number[] = []): string {
  const nodes = ids.slice(0, namedItems).map((id) => model.findNode(id));
  return joinSome(nodes.map((node) => nameOf(model, node, [...nodes, ...others])), count);
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

/** @param others nodes from which the reader must be able to tell the node, itself or -1 among them */
function nameOf(model: ModelReader, node: number, others: readonly number[]): string {
  if (node < 0) return '';
  const name = model.names.get(node);
  const id = model.ids.get(node);
  const isShared = name !== '' && others.some((other) => other >= 0 && other !== node && model.names.get(other) === name);
  return `“${isolateText(shorten(name || id))}”${isShared ? ` (${isolateText(shorten(id))})` : ''}`;
}

function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length > maxNameLength ? `${characters.slice(0, maxNameLength - 1).join('')}…` : text;
}
