import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { minShare, type FieldValue, type Finding } from './reason.ts';

/** Counts that are tried: 1, 2, 3, 5, 8 and so on, so that an item with 64 attributes needs ten trials. */
const growth = 1.5;

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
  return { field: model.attributeFields.get(attribute), value: model.attributeTexts.get(attribute) };
}
