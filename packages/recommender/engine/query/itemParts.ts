import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { countsInHistory, userWeight } from './sharedUsers.ts';

/** Users whose vectors are read to estimate what a group of users contributes; a larger group is sampled evenly. */
const sampledUsers = 64;

/** Nearness after a removal, and the share of the product with the item's own factors that is left. */
interface Changed {
  nearness: number;
  factors: number;
}

/**
 * The embedding of an item taken apart, `e ~ n C/|C| + k c/|c|` with the collaborative part C of n interactions and the
 * content part c of the attributes, to ask how near it would be to a source without some users or an attribute. Only
 * directions count, so e is kept up to its length. `load` chooses the item.
 */
export class ItemParts {
  /** Unit vector of the source's embedding; zeros when it has none. */
  readonly source: Float64Array;
  readonly sourceLength: number;
  /** Interactions of the loaded item. */
  users = 0;
  private readonly model: ModelReader;
  private readonly collaborative: Float64Array;
  private readonly content: Float64Array;
  private readonly removed: Float64Array;
  private readonly row = new Row();
  private readonly attributes = new Row();
  private item = 0;
  /** k of the blend, 0 when nothing is known of the content. */
  private prior = 0;
  private sourceC = 0;
  private sourceContent = 0;
  private squaresC = 0;
  private squaresContent = 0;
  private across = 0;

  /** @param source item that nearness is measured to */
  constructor(model: ModelReader, source: number) {
    const { rank } = model.facts;
    this.model = model;
    this.collaborative = new Float64Array(rank);
    this.content = new Float64Array(rank);
    this.removed = new Float64Array(rank);
    model.readEmbedding(source, this.row);
    const own = Float64Array.from(this.row.floats.subarray(this.row.start, this.row.start + rank));
    this.sourceLength = Math.sqrt(dot(own, own));
    this.source = own.map((value) => (this.sourceLength > 0 ? value / this.sourceLength : 0));
  }

  load(item: number): void {
    const { model, row, content, collaborative, source } = this;
    this.item = item;
    this.users = model.degree[item] ?? 0;
    const weight = model.contentWeight[item] ?? 0;
    content.fill(0);
    if (weight > 0) this.addContent();
    model.readEmbedding(item, row);
    for (let k = 0; k < collaborative.length; k += 1) {
      collaborative[k] = (row.floats[row.start + k] ?? 0) - weight * (content[k] ?? 0);
    }
    // An item without users has only its content; what is left of the subtraction is rounding.
    if (this.users === 0) collaborative.fill(0);
    this.prior = weight === 0 ? 0 : this.users === 0 ? 1 : (weight * this.users) / (1 - weight);
    this.sourceC = dot(source, collaborative);
    this.sourceContent = dot(source, content);
    this.squaresC = dot(collaborative, collaborative);
    this.squaresContent = dot(content, content);
    this.across = dot(collaborative, content);
  }

  /** Cosine of source and item. */
  nearness(): number {
    return this.blend(this.users, this.sourceC, this.squaresC, this.sourceContent, this.squaresContent, this.across);
  }

  /**
   * The cosine if `users` had no interactions with the item, and what is then left of the product of the source with the
   * item's own factors E_j, as a share.
   */
  withoutUsers(users: readonly number[]): Changed {
    const { removed, collaborative, content, source } = this;
    const left = Math.max(0, this.users - users.length);
    this.sumContributions(users);
    const squares = Math.max(0, this.squaresC - 2 * dot(removed, collaborative) + dot(removed, removed));
    const withSource = left === 0 ? 0 : this.sourceC - dot(source, removed);
    const across = this.across - dot(removed, content);
    const nearness = this.blend(left, withSource, squares, this.sourceContent, this.squaresContent, across);
    // E_j is a sum over users divided by the square root of their number.
    const factors = this.sourceC > 0 && left > 0 ? (withSource / this.sourceC) * Math.sqrt(this.users / left) : 0;
    return { nearness, factors: Math.max(0, factors) };
  }

  /** The cosine if the item did not have an attribute, whose weight is given. */
  nearnessWithoutAttribute(attribute: number, weight: number): number {
    const { model, row, source, collaborative, content } = this;
    model.readRidge(attribute, row);
    const { floats, start } = row;
    let withSource = 0;
    let withC = 0;
    let withContent = 0;
    let squares = 0;
    for (let k = 0; k < content.length; k += 1) {
      const value = weight * (floats[start + k] ?? 0);
      withSource += value * (source[k] ?? 0);
      withC += value * (collaborative[k] ?? 0);
      withContent += value * (content[k] ?? 0);
      squares += value * value;
    }
    return this.blend(
      this.users,
      this.sourceC,
      this.squaresC,
      this.sourceContent - withSource,
      Math.max(0, this.squaresContent - 2 * withContent + squares),
      this.across - withC,
    );
  }

  /** The same if the source did not have an attribute, whose weight in the source's embedding is given. */
  withoutSourceAttribute(attribute: number, weight: number): Changed {
    const { model, row, source, collaborative, content } = this;
    model.readRidge(attribute, row);
    const share = this.sourceLength > 0 ? weight / this.sourceLength : 0;
    let withSource = 0;
    let withC = 0;
    let withContent = 0;
    let squares = 0;
    for (let k = 0; k < content.length; k += 1) {
      const value = share * (row.floats[row.start + k] ?? 0);
      withSource += value * (source[k] ?? 0);
      withC += value * (collaborative[k] ?? 0);
      withContent += value * (content[k] ?? 0);
      squares += value * value;
    }
    const length = Math.sqrt(Math.max(0, 1 - 2 * withSource + squares));
    const product = this.blend(
      this.users,
      this.sourceC - withC,
      this.squaresC,
      this.sourceContent - withContent,
      this.squaresContent,
      this.across,
    );
    const factors = this.sourceC > 0 ? Math.max(0, (this.sourceC - withC) / this.sourceC) : 0;
    return { nearness: length > 0 ? product / length : 0, factors };
  }

  /** Cosine of the source with `n C/|C| + k c/|c|`, from the dot products with the source and between the parts. */
  private blend(
    users: number,
    sourceC: number,
    squaresC: number,
    sourceContent: number,
    squaresContent: number,
    across: number,
  ): number {
    const a = squaresC > 0 && users > 0 ? (this.prior === 0 ? 1 : users) / Math.sqrt(squaresC) : 0;
    const b = squaresContent > 0 ? this.prior / Math.sqrt(squaresContent) : 0;
    const length = Math.sqrt(Math.max(0, a * a * squaresC + b * b * squaresContent + 2 * a * b * across));
    return length > 0 ? (a * sourceC + b * sourceContent) / length : 0;
  }

  /**
   * Sets `removed` to the part of C that comes from some users:
   * `E_j = d_j^-1/2 / (lambda sqrt(s2)) sum over its users of d_u^pu (r_u D_i^-1/2 V^T)`, from the equation of the
   * singular vectors, in the scale that blending gave C.
   */
  private sumContributions(users: readonly number[]): void {
    const { model, row, removed } = this;
    const sample = Math.min(users.length, sampledUsers);
    removed.fill(0);
    for (let at = 0; at < sample; at += 1) {
      const user = users[Math.floor((at * users.length) / sample)] ?? 0;
      if (!countsInHistory(model, user, this.item, row)) continue;
      const weight = userWeight(model, user);
      model.readUserFactor(user, row);
      for (let k = 0; k < removed.length; k += 1) removed[k] = (removed[k] ?? 0) + weight * (row.floats[row.start + k] ?? 0);
    }
    const blended = Math.sqrt(this.squaresC) / (model.factorLength[this.item] || 1);
    const scale = ((users.length / (sample || 1)) * blended) / (Math.sqrt(this.users || 1) * model.facts.largestEigenvalue);
    for (let k = 0; k < removed.length; k += 1) {
      const strength = model.eigenvalues[k] ?? 0;
      removed[k] = strength > 0 ? ((removed[k] ?? 0) * scale) / Math.sqrt(strength) : 0;
    }
  }

  private addContent(): void {
    const { model, content, row, attributes } = this;
    model.attributes.read(this.item, attributes);
    const { ints, floats, start, count } = attributes;
    for (let at = 0; at < count; at += 1) {
      model.readRidge(ints[start + at] ?? 0, row);
      const weight = floats[start + count + at] ?? 0;
      for (let k = 0; k < content.length; k += 1) content[k] = (content[k] ?? 0) + weight * (row.floats[row.start + k] ?? 0);
    }
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k += 1) sum += (a[k] ?? 0) * (b[k] ?? 0);
  return sum;
}
