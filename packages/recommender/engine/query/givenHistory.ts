import { dot } from '../linear/dot.ts';
import type { ModelReader } from '../modelFile/openModel.ts';
import { inMemory, Row, RowTable, toWords } from '../modelFile/wordRows.ts';
import { EmbeddingParts } from './embeddingParts.ts';
import { inverseRoots } from './inverseRoots.ts';

/** A history that replaces the history in the model: of a user with newer interactions, or of somebody whom the model does not know. */
export interface GivenHistory {
  /** Items, oldest first. Each item occurs once in the whole history. */
  items: readonly number[];
  /** What each item counts, above 0. */
  weights: readonly number[];
  /** Disliked items. */
  disliked: readonly number[];
  /** Weights of the disliked items, below 0. */
  dislikes: readonly number[];
}

/** Returns a view of an open model in which user 0 has this history. */
export function withHistory(model: ModelReader, history: GivenHistory): ModelReader {
  const value = (of: unknown): PropertyDescriptor => ({ value: of });
  const view = Object.create(model, {
    history: value(tableOf(history.items, [])),
    historyWeights: value(history.weights.every((weight) => weight === 1) ? null : tableOf(history.weights, [], 'float')),
    dislikes: value(history.disliked.length === 0 ? null : tableOf(history.disliked, history.dislikes)),
    userLists: value(null),
    readUserFactor: value((_user: number, row: Row) => readFactor(model, history, row)),
  }) as ModelReader;
  return view;
}

/** Returns a table with one row. */
function tableOf(first: readonly number[], plane: readonly number[], type: 'int' | 'float' = 'int'): RowTable {
  const ints = new Int32Array(first.length + plane.length);
  const floats = new Float32Array(ints.buffer);
  (type === 'int' ? ints : floats).set(first);
  floats.set(plane, first.length);
  return new RowTable(Float64Array.of(0, first.length), inMemory(ints, floats), plane.length === 0 ? 0 : 1);
}

/**
 * Computes r_u D_i^-1/2 V^T from the items' embeddings, because a model file has no V: the collaborative part of an embedding has the direction of
 * `E_i = V_i sqrt(s2)`, and the file has the length of E_i. Items without interactions have no factors.
 */
function readFactor(model: ModelReader, { items, weights }: GivenHistory, row: Row): void {
  const { rank } = model.facts;
  const factor = new Float64Array(rank);
  const parts = new EmbeddingParts(model);
  const { collaborative } = parts;
  const roots = inverseRoots(model.eigenvalues);
  for (const [at, item] of items.entries()) {
    const degree = model.degree[item] ?? 0;
    if (degree === 0) continue;
    parts.load(item);
    const weight = (weights[at] ?? 1) * degree ** -0.5 * lengthening(model, item, collaborative);
    for (let k = 0; k < rank; k += 1) factor[k] = (factor[k] ?? 0) + weight * (collaborative[k] ?? 0) * (roots[k] ?? 0);
  }
  row.fill(toWords(Float32Array.from(factor)), 0, rank, 0);
}

/** Quotient of the lengths of E_i and of the collaborative part, which is shorter where content is blended in. */
function lengthening(model: ModelReader, item: number, collaborative: Float64Array): number {
  if ((model.contentWeight[item] ?? 0) === 0) return 1;
  const length = Math.sqrt(dot(collaborative, collaborative));
  return length > 0 ? (model.factorLength[item] ?? 0) / length : 0;
}
