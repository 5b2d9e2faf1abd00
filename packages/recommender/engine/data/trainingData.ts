/**
 * The input of the engine as arrays. Nodes are all ids in entity rows and interactions, numbered from 0 by the byte order of
 * their ids, so that the same batches always give the same numbers.
 */
export interface TrainingData {
  /** Entity type names, sorted; `nodes.type` contains indexes into this array. */
  types: readonly string[];
  nodes: {
    count: number;
    ids: readonly string[];
    /** Index into `types`, -1 for an id without an entity row. */
    type: Int32Array;
    /** Empty string if unknown. */
    names: readonly string[];
    mediaUrls: readonly string[];
    /** JSON object texts; empty string if there is none. */
    metadata: readonly string[];
  };
  /**
   * Distinct (source, target) pairs without self-interactions, each with its latest time, sorted by source, then time
   * (unknown times first), then file order. `time` is in ms since the epoch, NaN if unknown.
   */
  pairs: {
    count: number;
    source: Int32Array;
    target: Int32Array;
    time: Float64Array;
    /** What each pair counts, above 0; if omitted, every pair counts 1. */
    weight?: Float32Array;
  };
  /** Pairs that push away, in the same order, with weights below 0; omitted if there are none. No pair is also in `pairs`. */
  dislikes?: {
    count: number;
    source: Int32Array;
    target: Int32Array;
    weight: Float32Array;
  };
}

/** The exponents of the collaborative operator (formula in operatorRows.ts), and the influence of time on users' lists. */
export interface OperatorSetting {
  pu: number;
  pa: number;
  pb: number;
  T: number;
  b: number;
  /** Whether a row also contains items without common users, found by the factors (comparedItems.ts); false if omitted. */
  allPairs?: boolean;
  /**
   * Weight of the ridge regression between the most used items (ridgeMatrix.ts) beside the operator, and its penalty. Needs
   * `allPairs` and `lambda`; 0 if omitted.
   */
  ridge?: number;
  lambda?: number;
  /** Weight of alternating least squares between the most used items (alsMatrix.ts) beside the operator. Needs `allPairs`; 0 if omitted. */
  als?: number;
  /** Weight of the cosine of the items' metadata (contentVectors.ts) beside the operator; 0 if omitted. */
  content?: number;
  /** Weight of an interaction beside an absent one in alternating least squares; 40 if omitted. */
  confidence?: number;
  /** Whether later items of a history have more weight (historyWeights.ts); if omitted, all items have the same weight. */
  recency?: boolean;
  /** Share of the transitions (transitionRows.ts) in the ranking value, 0 to 1; 0 if omitted. */
  transitions?: number;
}

export interface TrainingOptions {
  setting: OperatorSetting;
  /** Seed of all random choices in training. */
  seed: number;
  /** Half-life in days of the interactions that count as recent for trends; if omitted, the data decides (computeTrend.ts). */
  trendHalfLifeDays?: number;
  /** Maximum number of a user's items that count, if another program counted them; if omitted, the data decides (`capOf` in matrix/interactions.ts). */
  historyCap?: number;
}
