import { buildCells, type NearestCells } from './nearestCells.ts';
import { findBoundCandidates, type BoundCandidates } from './boundCandidates.ts';
import { idfWeights } from './contentIndex.ts';
import { quantiseRows, type QuantisedRows } from '../kernels/quantisedRows.ts';
import { createRowTools } from '../kernels/createRowTools.ts';
import { rowNorms } from '../linear/rowNorms.ts';
import type { HeldOutContent } from './attributes/heldOutContent.ts';
import type { Factors } from '../factors/factorise.ts';
import type { Interactions } from '../matrix/interactions.ts';
import type { SparseRows, WeightedRows } from '../data/trainedModel.ts';

/** Input of all rows of related items, computed once and shared by the threads. */
export interface RelatedParts {
  itemGroup: Int32Array;
  factors: Factors;
  /** Items × rank; null if the embedding is V sqrt(s), which V alone determines. */
  embedding: Float32Array | null;
  /** V and the embedding in quantised form, for products. */
  vectorRows: QuantisedRows;
  embeddingRows: QuantisedRows | null;
  /** Length of each item's embedding. */
  norms: Float32Array;
  /** Cells of each target type; null if no item of the type has an embedding. */
  cells: readonly (NearestCells | null)[];
  bound: readonly BoundCandidates[];
  /** Attributes of items, items × attributes: weighted as in the embedding, and weighted by inverse document frequency. */
  weighted: WeightedRows;
  idf: WeightedRows;
  columns: number;
  isCategory: Uint8Array;
  /** Items whose lists without interactions are compared with their interactions; null if there are none. */
  heldOut: HeldOutContent | null;
}

interface RelatedAttributes {
  rows: SparseRows;
  weighted: WeightedRows;
  isCategory: Uint8Array;
  heldOut: HeldOutContent | null;
}

/**
 * Computes the shared input of the related rows.
 * @param embedding items × rank; null if the embedding is V sqrt(s)
 */
export function prepareRelated(
  interactions: Interactions, itemGroup: Int32Array, groups: number, embedding: Float32Array | null, factors: Factors,
  attributes: RelatedAttributes, seed: number,
): RelatedParts {
  const tools = createRowTools(interactions);
  const columns = attributes.isCategory.length;
  const scale = embedding === null ? factors.eigenvalues.map(Math.sqrt) : undefined;
  const vectors = tools.place(factors.vectors);
  const placed = embedding === null ? null : tools.place(embedding);
  const matrix = placed ?? vectors;
  const norms = rowNorms(matrix, interactions.items, factors.rank, scale);
  const cells = Array.from({ length: groups }, (_, group) => {
    const members = Int32Array.from(itemGroup.keys()).filter((item) => itemGroup[item] === group && (norms[item] as number) > 0);
    return members.length === 0 ? null : buildCells(tools, matrix, norms, factors.rank, members, seed + group, scale);
  });
  return {
    itemGroup: tools.place(itemGroup),
    factors: { ...factors, vectors },
    embedding: placed,
    vectorRows: quantiseRows(tools, vectors, factors.rank),
    embeddingRows: placed === null ? null : quantiseRows(tools, placed, factors.rank),
    norms: tools.place(Float32Array.from(norms)),
    cells,
    bound: findBoundCandidates(tools, interactions, { ...factors, vectors }, itemGroup, groups),
    weighted: attributes.weighted,
    idf: idfWeights(attributes.rows, columns),
    columns,
    isCategory: attributes.isCategory,
    heldOut: attributes.heldOut === null ? null : { ...attributes.heldOut, vectors: tools.place(attributes.heldOut.vectors) },
  };
}
