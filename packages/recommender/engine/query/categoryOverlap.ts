import type { Row } from '../modelFile/wordRows.ts';

/** Categories of an item with their squared weights. */
export type Categories = ReadonlyMap<number, number>;

const none: ReadonlySet<number> = new Set();

/**
 * The factor `1 + weight cos` that shared categories give a ranking value (see `CategoryFactor` in training).
 * @param weight weight of shared categories in the model's formula
 * @param without attributes that are removed from both items
 */
export function categoryFactor(own: Categories, other: Categories, weight: number, without: ReadonlySet<number> = none): number {
  let product = 0;
  let ownSquares = 0;
  let otherSquares = 0;
  for (const [category, square] of own) {
    if (without.has(category)) continue;
    ownSquares += square;
    if (other.has(category)) product += square;
  }
  for (const [category, square] of other) if (!without.has(category)) otherSquares += square;
  return factorOf(product, ownSquares, otherSquares, weight);
}

/** As `categoryFactor`, for an item with these attributes: a row of attributes and weights, in ascending order as the own categories. */
export function rowCategoryFactor(own: Categories, { ints, floats, start, count }: Row, isCategory: Uint8Array, weight: number): number {
  let product = 0;
  let otherSquares = 0;
  for (let at = start; at < start + count; at += 1) {
    const attribute = ints[at] ?? 0;
    if (isCategory[attribute] !== 1) continue;
    otherSquares += (floats[at + count] ?? 0) ** 2;
    product += own.get(attribute) ?? 0;
  }
  let ownSquares = 0;
  for (const square of own.values()) ownSquares += square;
  return factorOf(product, ownSquares, otherSquares, weight);
}

function factorOf(product: number, ownSquares: number, otherSquares: number, weight: number): number {
  return product === 0 ? 1 : 1 + (weight * product) / Math.sqrt(ownSquares * otherSquares);
}

/** The categories among an item's attributes, given as [attribute, weight]. */
export function categoriesOf(attributes: readonly (readonly [number, number])[], isCategory: Uint8Array): Categories {
  const found = attributes.filter(([attribute]) => isCategory[attribute] === 1);
  return new Map(found.map(([attribute, weight]) => [attribute, weight ** 2]));
}
