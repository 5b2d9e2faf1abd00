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

/** Neighbour lists: each row is grouped by target type; each group is in descending order. */
interface NeighbourRows extends SparseRows {
  /** Calibrated strength in [0,1] (shrunk normalised PMI), non-increasing within a group. */
  score: Float32Array;
}

/** A metric with its 95 % interval (bootstrap over users). */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** Names of the metrics of ranked lists; the record of a training has the same names. */
export const rankingMetrics = ['recall@20', 'ndcg@20'] as const;

export type RankingMetrics = Record<(typeof rankingMetrics)[number], Estimate>;

/** Fewest users for a verdict: resamples of fewer users vary too little, and their intervals are too narrow. */
export const verdictUsers = 20;

/** Offline evaluation on the held-out last 10 % of each user's items. */
export interface Evaluation extends RankingMetrics {
  /** Share of the recommendable items that are among the first 20 of at least one user. */
  coverage: number;
  popularity: RankingMetrics;
  /** Model minus popularity for each user: the mean over users. Missing in records of earlier versions. */
  popularity_difference?: RankingMetrics;
  'item-knn': RankingMetrics;
  /** Number of users with held-out interactions that were evaluated. */
  users: number;
  /** Better only if the interval of one difference is above 0 and that of the other not below 0, with at least `verdictUsers` users. */
  verdict: 'better than popularity' | 'not better than popularity yet';
}

/** Scores of an item without interactions, each by 50 equal ranges. */
export interface ContentScores {
  /** In the lists of other items, by the cosine. */
  cosine: readonly number[];
  /** In its own list, by the ranking value as a share of the largest possible. */
  value: readonly number[];
}

/**
 * A trained model in memory. Items are the nodes that can be recommended or have related items: every interaction target and
 * every entity of a target type (without interactions, every entity). Items are numbered from 0 in node order. Users are the
 * nodes that occur as a source, also numbered from 0 in node order.
 */
export interface TrainedModel {
  setting: OperatorSetting;
  seed: number;
  types: readonly string[];
  /** Types that occur as interaction targets, which are recommended by default; indexes into `types`, -1 for untyped nodes. */
  targetTypes: Int32Array;
  nodes: {
    count: number;
    ids: readonly string[];
    type: Int32Array;
    names: readonly string[];
    mediaUrls: readonly string[];
    /** JSON object texts; empty string if there is none. */
    metadata: readonly string[];
  };
  /** Node of each item, and item of each node (-1: not an item). */
  itemNode: Int32Array;
  nodeItem: Int32Array;
  /** Node of each user, and user of each node (-1: not a user). */
  userNode: Int32Array;
  nodeUser: Int32Array;
  /**
   * The full histories of users: items in time order, oldest first; `time` in ms or NaN. If a user is also an item, the
   * user's history begins with the user itself, without a time.
   */
  history: SparseRows & {
    time: Float64Array;
    /** What each entry counts in the lists of its user, above 0; if omitted, every entry counts 1. */
    weight?: Float32Array;
    /** Items that a user dislikes, with weights below 0, row = user, ascending; omitted if there are none. */
    disliked?: WeightedRows;
  };
  /** Users of each item, ascending: the transpose of the history. */
  audience: SparseRows;
  /**
   * User operator M, row = item, `operatorLimit` entries per target type, or the `ridgedLimit` strongest of any sign where the row has regression weights; by
   * descending value within a type; with the NPMI of each pair.
   */
  operator: WeightedRows & { score: Float32Array };
  /**
   * Items that users interact with after an item, 200 per target type; rows are empty if the setting does not use
   * transitions.
   */
  transitions: WeightedRows;
  /**
   * Related items in the final order, 100 per target type; `value` is rel (see `RelatedRows`). For an item with at most 19 users, the
   * P-term of rel is mixed with a prediction from the embedding (weight 6/(n+6); without users, the prediction only). Items that
   * neither users nor known attributes connect with others, and catalogues without interactions, have cosines of attributes
   * instead.
   */
  related: NeighbourRows & { value: Float32Array };
  /**
   * Embedding e of each item (collaborative part blended with content, embedItems.ts), row-major items × rank. The rank is 0
   * without interactions.
   */
  rank: number;
  embedding: Float32Array;
  /** Whether the embedding includes content; otherwise the embedding is `vectors` times the square roots of `eigenvalues`. */
  blended: boolean;
  /**
   * Singular vectors V of the items (not blended), row-major items × rank, and the eigenvalues of X^T X divided by the
   * largest, both as returned by `factorise`. The model file stores the users' vectors r_u D_i^-1/2 V^T computed from V;
   * recommending cold items and explaining related items need these vectors.
   */
  vectors: Float32Array;
  eigenvalues: Float64Array;
  /** Maximum number of latest history items that count in P, d_u and the factors; also the upper limit of d_u. */
  historyCap: number;
  /** Weight of the content part in each item's e: k/(n+k); 1 for cold items, 0 without attributes. */
  contentWeight: Float32Array;
  /**
   * Attributes of the items: column names and lifts; rows are items with weights Bw. Without interactions, lifts are 0 and
   * weights are idf.
   */
  attributes: WeightedRows & { field: readonly string[]; text: readonly string[]; lift: Float32Array; isCategory: Uint8Array };
  /** Ridge map W, row-major attributes × rank; the content embedding of an item is the item's row of `attributes` times W. */
  ridge: Float32Array;
  /** Largest eigenvalue of X^T X, the divisor of P; 0 without interactions. */
  largestEigenvalue: number;
  /** Row maximum of `P[i,j] d_j^0.3` per item, the divisor in rel. */
  relatedDivisor: Float32Array;
  /**
   * Score of a pair without common users, by 50 equal ranges of the embedding cosine from 0 to 1; omitted without interactions. Items that
   * arrive after the training are scored by it if there are no `contentScores`.
   */
  cosineScores?: readonly number[];
  /** Scores of items without interactions; omitted if none were measured, and in models of earlier releases. */
  contentScores?: ContentScores;
  /** Trend value of each item (0 for none), and whether the item is rising. */
  trend: Float32Array;
  rising: Uint8Array;
  /** 1 for each item that is in demand now; omitted in models of earlier releases. */
  current?: Uint8Array;
  /** Newest timestamp of the data in ms, NaN if there is none. */
  newest: number;
  evaluation: Evaluation | null;
}
