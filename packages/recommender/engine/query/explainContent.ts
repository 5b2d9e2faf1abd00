import type { ModelReader } from '../modelFile/openModel.ts';
import { attributeReason, attributeReasons, fewestTogether, readAttributes } from './attributeReasons.ts';
import { minShare, type Finding } from './reason.ts';

/**
 * Reasons for an item related by content only, because neither users nor known attributes connect the source with other
 * items, as in a model without interactions. The ranking value is the cosine of the attributes, weighted by `ln(1 +
 * items/n)`. Where no attribute carries enough, as in long lists of tags, the largest attributes together are one reason.
 */
export function explainContent(model: ModelReader, item: number, other: number): Finding[] {
  const own = new Set(readAttributes(model, item).map(([attribute]) => attribute));
  const items = model.added?.firstItem ?? model.facts.items;
  const squareOf = (attribute: number) => Math.log(1 + items / (model.attributeItems[attribute] ?? 1)) ** 2;
  const others = readAttributes(model, other).map(([attribute]) => ({ attribute, square: squareOf(attribute) }));
  const squares = others.reduce((sum, { square }) => sum + square, 0);
  const common = others.filter(({ attribute }) => own.has(attribute)).sort((a, b) => b.square - a.square || a.attribute - b.attribute);
  const product = common.reduce((sum, { square }) => sum + square, 0);
  const shareWithout = (removed: number): number => {
    const left = squares - removed;
    const rest = left > 0 ? (product - removed) / Math.sqrt(left) : 0;
    return 1 - rest / (product / Math.sqrt(squares));
  };
  const found = common.map(({ attribute, square }) => ({ attribute, share: shareWithout(square) })).filter(({ share }) => share >= minShare);
  if (found.length > 0) return attributeReasons(model, found);
  const together = fewestTogether(common.length, (count) => shareWithout(common.slice(0, count).reduce((sum, { square }) => sum + square, 0)));
  return together === null ? [] : [attributeReason(model, common.slice(0, together.count).map(({ attribute }) => attribute), together.share)];
}
