import { relatedFormula } from './relatedFormula.ts';
import type { WeightedRows } from '../data/trainedModel.ts';

/**
 * The factor `1 + .5 cos(c_i, c_j)` on the ranking value of the first two hundred related items. The vector c holds an item's
 * categories (attributes that are a whole value of their field), each with its weight in the embedding. Users of a popular
 * item also share many items of other categories, so shared categories show which neighbours are similar in kind. At most a third
 * of a value comes from the factor. Counting words of names and ranges of numbers as categories made lists worse.
 */
export class CategoryFactor {
  private readonly weighted: WeightedRows;
  private readonly isCategory: Uint8Array;
  private readonly norms: Float64Array;
  /** Squared weight of each category of the current item, by column; 0 for other columns. */
  private readonly own: Float64Array;
  private item = 0;

  /**
   * @param weighted attributes with weights, items × attributes
   * @param isCategory 1 for columns that are categories
   */
  constructor(weighted: WeightedRows, isCategory: Uint8Array) {
    this.weighted = weighted;
    this.isCategory = isCategory;
    this.own = new Float64Array(isCategory.length);
    const items = weighted.pointer.length - 1;
    this.norms = new Float64Array(items);
    for (let item = 0; item < items; item++) this.norms[item] = Math.sqrt(this.sumOfSquares(item));
  }

  /** Sets the item that `of` compares other items with. */
  begin(item: number): void {
    const { pointer, index, value } = this.weighted;
    for (let at = pointer[this.item] as number; at < (pointer[this.item + 1] as number); at++) {
      this.own[index[at] as number] = 0;
    }
    for (let at = pointer[item] as number; at < (pointer[item + 1] as number); at++) {
      const column = index[at] as number;
      if (this.isCategory[column] === 1) this.own[column] = (value[at] as number) ** 2;
    }
    this.item = item;
  }

  /** Returns 1 if the two items share no category, up to 1.5 if their categories are the same. */
  of(other: number): number {
    const norms = (this.norms[this.item] as number) * (this.norms[other] as number);
    if (norms === 0) return 1;
    const { pointer, index } = this.weighted;
    let product = 0;
    for (let at = pointer[other] as number; at < (pointer[other + 1] as number); at++) {
      product += this.own[index[at] as number] as number;
    }
    return 1 + (relatedFormula.categories * product) / norms;
  }

  private sumOfSquares(item: number): number {
    const { pointer, index, value } = this.weighted;
    let sum = 0;
    for (let at = pointer[item] as number; at < (pointer[item + 1] as number); at++) {
      if (this.isCategory[index[at] as number] === 1) sum += (value[at] as number) ** 2;
    }
    return sum;
  }
}
