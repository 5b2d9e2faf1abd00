import { dot } from '../linear/dot.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { EmbeddingParts } from './embeddingParts.ts';
import { countsInHistory, userWeight } from './sharedUsers.ts';

/** Maximum number of users whose vectors are read to estimate a group's contribution; a larger group is sampled evenly. */
const sampledUsers = 64;

/** An attribute to remove, with its weights in the embedding of the loaded item and in that of the source. */
export interface RemovedAttribute {
  attribute: number;
  weight: number;
  sourceWeight: number;
}

/** Share of a squared length that is a rounding error of 32-bit numbers, if it is what a subtraction leaves. */
const roundingShare = 1e-6;

/** What is left of a squared length after a subtraction; 0 if the rest is a rounding error, whose direction would mean nothing. */
function restOf(left: number, whole: number): number {
  return left > roundingShare * whole ? left : 0;
}

/** Cosine after a removal, and the remaining share of the source's product with the item's own factors. */
interface Changed {
  nearness: number;
  factors: number;
}

/**
 * Splits the embedding of an item, `e ~ n C/|C| + k c/|c|`, into the collaborative part C of n interactions and the content
 * part c of the attributes, to compute the cosine with a source without some users or an attribute. Cosines depend on
 * directions only, so e is known up to its length. `load` sets the item.
 */
export class ItemParts {
  /** Unit vector of the source's embedding; zeros if the source has no embedding. */
  readonly source: Float64Array;
  readonly sourceLength: number;
  /** Number of interactions of the loaded item. */
  users = 0;
  private readonly model: ModelReader;
  private readonly parts: EmbeddingParts;
  private readonly collaborative: Float64Array;
  private readonly content: Float64Array;
  private readonly removed: Float64Array;
  private readonly restContent: Float64Array;
  private readonly restSource: Float64Array;
  private readonly row = new Row();
  private item = 0;
  /** The weight k of the content in the blend; 0 if the item has no content part. */
  private prior = 0;
  private sourceC = 0;
  private sourceContent = 0;
  private squaresC = 0;
  private squaresContent = 0;
  private across = 0;

  /** @param source item whose cosine with the loaded item is computed */
  constructor(model: ModelReader, source: number) {
    const { rank } = model.facts;
    this.model = model;
    this.parts = new EmbeddingParts(model);
    this.collaborative = this.parts.collaborative;
    this.content = this.parts.content;
    this.removed = new Float64Array(rank);
    this.restContent = new Float64Array(rank);
    this.restSource = new Float64Array(rank);
    model.readEmbedding(source, this.row);
    const own = Float64Array.from(this.row.floats.subarray(this.row.start, this.row.start + rank));
    this.sourceLength = Math.sqrt(dot(own, own));
    this.source = own.map((value) => (this.sourceLength > 0 ? value / this.sourceLength : 0));
  }

  load(item: number): void {
    const { model, content, collaborative, source } = this;
    this.item = item;
    this.users = model.degree[item] ?? 0;
    const weight = model.contentWeight[item] ?? 0;
    this.parts.load(item);
    this.prior = weight === 0 ? 0 : this.users === 0 ? 1 : (weight * this.users) / (1 - weight);
    this.sourceC = dot(source, collaborative);
    this.sourceContent = dot(source, content);
    this.squaresC = dot(collaborative, collaborative);
    this.squaresContent = dot(content, content);
    this.across = dot(collaborative, content);
  }

  /** Cosine of the source and the loaded item. */
  nearness(): number {
    return this.blend(this.users, this.sourceC, this.squaresC, this.sourceContent, this.squaresContent, this.across);
  }

  /**
   * The cosine, and the remaining share of the source's product with the item's own factors E_j, if `users` had no interactions with the item and
   * neither the source nor the item had any of the attributes.
   */
  without(users: readonly number[], attributes: readonly RemovedAttribute[] = []): Changed {
    const { collaborative, removed, restContent, restSource } = this;
    const left = Math.max(0, this.users - users.length);
    this.sumContributions(users);
    this.takeAttributes(attributes);
    let [sourceSquares, withSource, squares, sourceContent, contentSquares, across] = [0, 0, 0, 0, 0, 0];
    // One loop, because six calls of `dot` take half as long again.
    for (let k = 0; k < removed.length; k += 1) {
      const s = restSource[k] ?? 0;
      const own = left === 0 ? 0 : (collaborative[k] ?? 0) - (removed[k] ?? 0);
      const content = restContent[k] ?? 0;
      sourceSquares += s * s;
      withSource += s * own;
      squares += own * own;
      sourceContent += s * content;
      contentSquares += content * content;
      across += own * content;
    }
    sourceSquares = restOf(sourceSquares, 1);
    const product = this.blend(left, withSource, squares, sourceContent, restOf(contentSquares, this.squaresContent), across);
    // E_j is a sum over users divided by the square root of their number.
    const factors = this.sourceC > 0 && left > 0 ? (withSource / this.sourceC) * Math.sqrt(this.users / left) : 0;
    return { nearness: sourceSquares > 0 ? product / Math.sqrt(sourceSquares) : 0, factors: Math.max(0, factors) };
  }

  /** Sets `restSource` and `restContent` to the source's and the item's vectors without the attributes. */
  private takeAttributes(attributes: readonly RemovedAttribute[]): void {
    const { model, row, restContent, restSource, sourceLength } = this;
    restSource.set(this.source);
    restContent.set(this.content);
    for (const { attribute, weight, sourceWeight } of attributes) {
      const share = sourceLength > 0 ? sourceWeight / sourceLength : 0;
      model.readRidge(attribute, row);
      const { floats, start } = row;
      for (let k = 0; k < restContent.length; k += 1) {
        const value = floats[start + k] ?? 0;
        restContent[k] = (restContent[k] ?? 0) - weight * value;
        restSource[k] = (restSource[k] ?? 0) - share * value;
      }
    }
  }

  /** Cosine of the source with `n C/|C| + k c/|c|`, from the parts' dot products with the source and with each other. */
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
   * Sets `removed` to the part of C that comes from the given users, in the scale that C has in the blend: `E_j = d_j^-1/2 /
   * (lambda sqrt(s2)) sum over its users of d_u^pu (r_u D_i^-1/2 V^T)`, from the equation of the singular vectors.
   */
  private sumContributions(users: readonly number[]): void {
    const { model, row, removed } = this;
    const sample = Math.min(users.length, sampledUsers);
    removed.fill(0);
    if (sample === 0) return;
    for (let at = 0; at < sample; at += 1) {
      const user = users[Math.floor((at * users.length) / sample)] ?? 0;
      if (!countsInHistory(model, user, this.item, row)) continue;
      const weight = userWeight(model, user);
      model.readUserFactor(user, row);
      for (let k = 0; k < removed.length; k += 1) removed[k] = (removed[k] ?? 0) + weight * (row.floats[row.start + k] ?? 0);
    }
    const blended = Math.sqrt(this.squaresC) / (model.factorLength[this.item] || 1);
    const scale = ((users.length / sample) * blended) / (Math.sqrt(this.users || 1) * model.facts.largestEigenvalue);
    for (let k = 0; k < removed.length; k += 1) {
      const strength = model.eigenvalues[k] ?? 0;
      removed[k] = strength > 0 ? ((removed[k] ?? 0) * scale) / Math.sqrt(strength) : 0;
    }
  }
}
