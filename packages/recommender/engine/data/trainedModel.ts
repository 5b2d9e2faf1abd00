import type { OperatorSetting } from './trainingData.ts';

/** Rows of a sparse matrix: row r is `index[pointer[r] .. pointer[r+1]]`. */
export interface SparseRows {
  pointer: Float64Array;
  index: Int32Array;
}

/** Sparse rows with one float per entry. */
export interface WeightedRows extends SparseRows {
  value: Float32Array;
}

/** Neighbour lists: within a row grouped by target type, each group in falling order. */
interface NeighbourRows extends SparseRows {
  /** Calibrated strength in [0,1] (shrunk normalised PMI), never rising within a group. */
  score: Float32Array;
}

/** A metric with its 95 % interval (bootstrap over users). */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

export interface RankingMetrics {
  'recall@20': Estimate;
  'ndcg@20': Estimate;
}

/** Offline evaluation on each user's held-out last 10 %. */
export interface Evaluation extends RankingMetrics {
  /** Share of the recommendable items that are among the first 20 of at least one user. */
  coverage: number;
  popularity: RankingMetrics;
  'item-knn': RankingMetrics;
  /** How many users had held-out interactions and were scored. */
  users: number;
  /** Better only where the intervals of recall and of ndcg both lie above those of popularity. */
  verdict: 'better than popularity' | 'not better than popularity yet';
}

/**
 * A trained model in memory. Items are the nodes that can be recommended or asked about as items: every interaction
 * target, every source of a target's type, and every entity of a target type (all entities without interactions).
 * Item numbers are 0.. in node order; users are the nodes that occur as a source, 0.. in node order.
 */
export interface TrainedModel {
  setting: OperatorSetting;
  seed: number;
  types: readonly string[];
  /** Types (indexes into `types`, -1 for untyped nodes) that occur as interaction targets; recommended by default. */
  targetTypes: Int32Array;
  nodes: {
    count: number;
    ids: readonly string[];
    type: Int32Array;
    names: readonly string[];
    mediaUrls: readonly string[];
  };
  /** Node of each item, and the other way round (-1: not an item). */
  itemNode: Int32Array;
  nodeItem: Int32Array;
  /** Node of each user, and the other way round (-1: not a user). */
  userNode: Int32Array;
  nodeUser: Int32Array;
  /**
   * The full histories of users: items in time order, oldest first; `time` in ms or NaN. A user that is an item itself
   * has itself as its first item, without a time.
   */
  history: SparseRows & { time: Float64Array };
  /** Users of each item, ascending: the transpose of the history. */
  audience: SparseRows;
  /** User operator M, row = item, `operatorLimit` entries per target type, by falling value within a type; with NPMI of each pair. */
  operator: WeightedRows & { score: Float32Array };
  /** What users turn to after an item, 200 per target type; empty rows where the setting does not use it. */
  transitions: WeightedRows;
  /**
   * Related items in the final order, 100 per target type; `value` is rel. Up to 19 users of an item, the half of rel
   * that comes from P is mixed with what the embedding lets expect (weight 6/(n+6), all of it without users). Items that
   * neither users nor known attributes connect, and catalogues without interactions, have cosines of attributes.
   */
  related: NeighbourRows & { value: Float32Array };
  /**
   * Embedding e of each item (collaborative part blended with content, embedItems.ts), row-major items × rank. Rank 0
   * without interactions.
   */
  rank: number;
  embedding: Float32Array;
  /** Whether the embedding has content in it; otherwise it is `vectors` times the roots of `eigenvalues`. */
  blended: boolean;
  /**
   * Singular vectors V of the items (not blended), row-major items × rank, and the eigenvalues of X^T X over the
   * largest, both as factorise gives them. Serving turns them into the users' vectors r_u D_i^-1/2 V^T, which cold items
   * for users and the reasons of related items need.
   */
  vectors: Float32Array;
  eigenvalues: Float64Array;
  /** Latest items of a history that count in P, d_u and the factors; d_u is at most this. */
  historyCap: number;
  /** Weight of the content part in each item's e: k/(n+k); 1 for cold items, 0 without attributes. */
  contentWeight: Float32Array;
  /**
   * Attributes of the items: column names and lifts, rows = items with weights Bw (without interactions lifts are 0 and
   * weights are idf).
   */
  attributes: WeightedRows & { field: readonly string[]; text: readonly string[]; lift: Float32Array; isCategory: Uint8Array };
  /** Ridge map W, row-major attributes × rank; content embedding of an item = its row of `attributes` times W. */
  ridge: Float32Array;
  /** Largest eigenvalue of X^T X by which P is divided; 0 without interactions. */
  largestEigenvalue: number;
  /** Row maximum of `P[i,j] d_j^0.3` per item, the divisor in rel. */
  relatedDivisor: Float32Array;
  /** Trending: per item the trend value (0 for none), and whether it rises. */
  trend: Float32Array;
  rising: Uint8Array;
  /** Newest timestamp of the data in ms, NaN without. */
  newest: number;
  evaluation: Evaluation | null;
}
