/**
 * Everything the engine learns from, as arrays. Nodes are all ids that an entity row or an interaction names,
 * numbered 0.. by the byte order of their ids, so that the same batches give the same numbers.
 */
export interface TrainingData {
  /** Entity type names; `node.type` points here. Sorted. */
  types: readonly string[];
  nodes: {
    count: number;
    ids: readonly string[];
    /** Index into `types`, -1 for an id without an entity row. */
    type: Int32Array;
    /** Empty string where there is none. */
    names: readonly string[];
    mediaUrls: readonly string[];
    /** JSON object texts; empty string where there is none. */
    metadata: readonly string[];
  };
  /**
   * Distinct (source, target) pairs without self-interactions, each with its latest time, sorted by source, then time
   * (none first), then file order. `time` is in ms since the epoch, NaN where unknown.
   */
  pairs: {
    count: number;
    source: Int32Array;
    target: Int32Array;
    time: Float64Array;
  };
}

/** The exponents of the collaborative operator (operatorRows.ts has its formula), and how far time orders users' lists. */
export interface OperatorSetting {
  pu: number;
  pa: number;
  pb: number;
  T: number;
  b: number;
  /** Whether later items of a history weigh more (historyWeights.ts); absent: all weigh the same. */
  recency?: boolean;
  /** Share of what users turned to next (transitionRows.ts) in the order of a list, 0 to 1; absent: 0. */
  transitions?: number;
}

export interface TrainingOptions {
  setting: OperatorSetting;
  /** Seed of every random choice in training. */
  seed: number;
}
