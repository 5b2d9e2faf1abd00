import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { minShare, type FieldValue, type Finding } from './reason.ts';

/** Counts that are tried: 1, 2, 3, 5, 8 and so on, so that an item with 64 attributes needs ten trials. */
const growth = 1.5;
/** A number or a range of numbers, as the attributes of numeric fields are written. */
const numberForm = /^-?[\d.]+(?:e[+-]?\d+)?(?:–-?[\d.]+(?:e[+-]?\d+)?)?$/;
const wordFields = new WeakMap<ModelReader, ReadonlySet<string>>();

/** An attribute and the share of a ranking value that disappears without it. */
export interface AttributeShare {
  attribute: number;
  share: number;
}

/** Attributes of an item with their weights. */
export function readAttributes(model: ModelReader, item: number): [number, number][] {
  const row = new Row();
  model.attributes.read(item, row);
  return Array.from({ length: row.count }, (_, at) => [
    row.ints[row.start + at] ?? 0,
    row.floats[row.start + row.count + at] ?? 0,
  ]);
}

/** A finding for each attribute, largest share first. */
export function attributeReasons(model: ModelReader, found: readonly AttributeShare[]): Finding[] {
  return found
    .toSorted((a, b) => b.share - a.share || a.attribute - b.attribute)
    .map(({ attribute, share }) => attributeReason(model, [attribute], share));
}

/**
 * One finding for attributes that carry the share together.
 * @param attributes at least one
 */
export function attributeReason(model: ModelReader, attributes: readonly number[], share: number): Finding {
  const [first = 0, ...others] = attributes;
  return {
    kind: 'attribute',
    ...fieldValue(model, first),
    ...(others.length > 0 && { together_with: others.map((attribute) => fieldValue(model, attribute)) }),
    count: model.attributeItems[first] ?? 0,
    share: Math.min(1, Math.max(0, share)),
  };
}

/**
 * The fewest of the attributes, from the first on, that carry half of what all of them carry, and at least what a reason needs.
 * @param attributes number of attributes
 * @param shareWithout returns the share that disappears without the first `count` attributes
 * @returns null if all attributes together carry less than a reason needs
 */
export function fewestTogether(attributes: number, shareWithout: (count: number) => number): { count: number; share: number } | null {
  const all = shareWithout(attributes);
  if (attributes === 0 || all < minShare) return null;
  const wanted = Math.max(minShare, all / 2);
  for (let count = 1; count < attributes; count = Math.ceil(count * growth)) {
    const share = shareWithout(count);
    if (share >= wanted) return { count, share };
  }
  return { count: attributes, share: all };
}

function fieldValue(model: ModelReader, attribute: number): FieldValue {
  const field = model.attributeFields.get(attribute);
  return { field, value: model.attributeTexts.get(attribute), ...(isWord(model, attribute, field) && { word: true }) };
}

/** Model files mark whole values only: what is no whole value is a word or a number, and a field has either words or numbers. */
function isWord(model: ModelReader, attribute: number, field: string): boolean {
  if (model.isCategory[attribute] === 1) return false;
  return !numberForm.test(model.attributeTexts.get(attribute)) || fieldsOfWords(model.trained).has(field);
}

/** Fields of which at least one word is not a number. */
function fieldsOfWords(model: ModelReader): ReadonlySet<string> {
  const known = wordFields.get(model);
  if (known !== undefined) return known;
  const fields = new Set<string>();
  for (let attribute = 0; attribute < model.attributeItems.length; attribute += 1) {
    if (model.isCategory[attribute] === 1 || numberForm.test(model.attributeTexts.get(attribute))) continue;
    fields.add(model.attributeFields.get(attribute));
  }
  wordFields.set(model, fields);
  return fields;
}
