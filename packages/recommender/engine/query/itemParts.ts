import type { ModelReader } from '../modelFile/openModel.ts';
import { Row } from '../modelFile/wordRows.ts';
import { countsInHistory, userWeight } from './sharedUsers.ts';

/** Users whose vectors are read to estimate what a group of users contributes; a larger group is sampled evenly. */
const sampledUsers = 64;

/**
 * An item's embedding taken apart: `e = (n C/|C| + k c/|c|) |c| / (n + k)` with the collaborative part C of n
 * interactions and the content part c of the attributes, so that parts can be removed and the whole blended anew.
 */
export class ItemParts {
  readonly embedding: Float64Array;
  readonly collaborative: Float64Array;
  readonly content: Float64Array;
  readonly users: number;
  private readonly model: ModelReader;
  private readonly item: number;
  private readonly row = new Row();

  constructor(model: ModelReader, item: number) {
    const { rank } = model.facts;
    this.model = model;
    this.item = item;
    this.users = model.degree[item] ?? 0;
    model.readEmbedding(item, this.row);
    this.embedding = Float64Array.from(this.row.floats.subarray(this.row.start, this.row.start + rank));
    this.content = new Float64Array(rank);
    const weight = model.contentWeight[item] ?? 0;
    if (weight > 0) this.addContent();
    this.collaborative = this.embedding.map((value, k) => value - weight * (this.content[k] ?? 0));
  }

  /** The blended embedding (up to its length) without `users`, whose interactions with the item are removed. */
  withoutUsers(users: readonly number[]): Float64Array {
    const left = this.users - users.length;
    if (left <= 0) return this.content;
    const rest = this.contributionOf(users);
    for (let k = 0; k < rest.length; k += 1) rest[k] = (this.collaborative[k] ?? 0) - (rest[k] ?? 0);
    return this.blend(rest, this.content, left);
  }

  /** The blended embedding (up to its length) without an attribute of the given weight. */
  withoutAttribute(attribute: number, weight: number): Float64Array {
    this.model.readRidge(attribute, this.row);
    const { floats, start } = this.row;
    const content = this.content.map((value, k) => value - weight * (floats[start + k] ?? 0));
    return this.blend(this.collaborative, content, this.users);
  }

  private blend(collaborative: Float64Array, content: Float64Array, users: number): Float64Array {
    const weight = this.model.contentWeight[this.item] ?? 0;
    if (weight === 0) return collaborative;
    // contentWeight = k / (n + k) for the n users that the item had in training.
    const prior = this.users === 0 ? 1 : (weight * this.users) / (1 - weight);
    const a = users / (length(collaborative) || 1);
    const b = prior / (length(content) || 1);
    return collaborative.map((value, k) => a * value + b * (content[k] ?? 0));
  }

  /**
   * The part of the collaborative embedding that comes from some users, in its scale:
   * `E_j = d_j^-1/2 / (lambda sqrt(s2)) sum over its users of d_u^pu (r_u D_i^-1/2 V^T)`, the singular vectors' equation.
   */
  private contributionOf(users: readonly number[]): Float64Array {
    const { model, row } = this;
    const { rank, largestEigenvalue } = model.facts;
    const sum = new Float64Array(rank);
    const sample = Math.min(users.length, sampledUsers);
    for (let at = 0; at < sample; at += 1) {
      const user = users[Math.floor((at * users.length) / sample)] ?? 0;
      if (!countsInHistory(model, user, this.item, row)) continue;
      const weight = userWeight(model, user);
      model.readUserFactor(user, row);
      for (let k = 0; k < rank; k += 1) sum[k] = (sum[k] ?? 0) + weight * (row.floats[row.start + k] ?? 0);
    }
    const scale = (users.length / sample) * (this.users ** -0.5 / largestEigenvalue) * this.blendScale();
    return sum.map((value, k) => {
      const strength = model.eigenvalues[k] ?? 0;
      return strength > 0 ? value * scale * strength ** -0.5 : 0;
    });
  }

  /** |C| / |E|: how blending scaled the collaborative part. */
  private blendScale(): number {
    return length(this.collaborative) / (this.model.factorLength[this.item] || 1);
  }

  private addContent(): void {
    const { model, content, row } = this;
    const attributes = new Row();
    model.attributes.read(this.item, attributes);
    const { ints, floats, start, count } = attributes;
    for (let at = 0; at < count; at += 1) {
      model.readRidge(ints[start + at] ?? 0, row);
      const weight = floats[start + count + at] ?? 0;
      for (let k = 0; k < content.length; k += 1) content[k] = (content[k] ?? 0) + weight * (row.floats[row.start + k] ?? 0);
    }
  }
}

export function cosine(a: Float64Array, b: Float64Array): number {
  let dot = 0;
  for (let k = 0; k < a.length; k += 1) dot += (a[k] ?? 0) * (b[k] ?? 0);
  return dot / (length(a) * length(b) || 1);
}

function length(vector: Float64Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return Math.sqrt(squares);
}
