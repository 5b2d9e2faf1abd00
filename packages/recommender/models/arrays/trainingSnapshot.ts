import type { ColumnType } from '../../engine/data/column.ts';

/** One Parquet file of a training's snapshot. */
export interface SnapshotFile {
  path: string;
  kind: 'entity' | 'interaction';
  /** Upload order; if several files contain an entity id, the file with the highest number wins. */
  sequence: number;
}

/** The contents of a snapshot and the reasons for unused rows: the `data` of a training record. */
export interface DataSummary {
  entities: {
    rows: number;
    distinct: number;
    /** Number of types; `by_type` contains the 100 most frequent. */
    types: number;
    by_type: Record<string, number>;
    /** Entities whose newest row leaves out metadata, or a name, that an older row has; missing if there is none. */
    emptied?: { metadata: number; names: number };
  } & TextSurvey;
  interactions: {
    rows: number;
    /** Distinct (source, target) pairs that count as likes. The optional fields are missing in records of earlier versions. */
    used: number;
    /** Distinct pairs that push away. */
    disliked?: number;
    types: number;
    by_type: Record<string, number>;
    /** What one interaction of each of these types counts. */
    weight_by_type?: Record<string, number>;
    /** Rows with a weight of their own, and rows whose weight is not a number in the allowed range. */
    weighed?: { rows: number; invalid: number };
    /** Rows with a rating, rows whose rating is outside the scale, and the scale. */
    rated?: { rows: number; invalid: number; scale: { lowest: number; highest: number } | null };
    ignored: { too_old: number; repeated: number; self: number; neutral?: number };
    with_timestamp: number;
    newest_timestamp: string | null;
    /** Oldest time of the used pairs; missing without times, and in records of earlier versions. */
    oldest_timestamp?: string;
    /** Distinct pairs whose latest time is in the future; missing if there is none. */
    future?: number;
    /** Distinct pairs whose latest time is in 1970; missing if there is none. */
    early?: number;
    ids?: IdCounts;
  };
  batches: number;
  /** What the filter left out; missing without a filter. */
  filter?: FilterSummary;
}

/** Texts of entities that most likely mean something else than they say; its members are missing if there are none, and in records of earlier versions. */
export interface TextSurvey {
  /**
   * Columns of metadata whose texts are numbers, truth values, dates or lists in another form than columns have, with an example; `mixed`: a column of
   * numbers with a few texts, such as the example.
   */
  texts?: { column: string; form: 'number' | 'bool' | 'date' | 'list' | 'mixed'; example: string }[];
  garbled_names?: { count: number; example: string };
}

/** Distinct ids of interactions. */
export interface IdCounts {
  sources: number;
  targets: number;
  /** Ids that are both a source and a target. */
  shared: number;
  sources_without_entity: number;
  targets_without_entity: number;
  /** Ids of entities and interactions that begin or end with a blank; missing in records of earlier versions. */
  padded?: number;
  /** Ids that mean a missing value, such as `null`; missing if there is none. */
  placeholders?: string[];
}

/** The effect of a training's filter. */
export interface FilterSummary {
  /** Entities that were left out. */
  entities: number;
  /** Distinct pairs of source and target that were left out. */
  interactions: number;
  /** Types of the metadata columns that the filter names, such as `item.price`. */
  columns: Record<string, ColumnType>;
}

/** Columns of the Parquet files in SQL syntax. */
export const tableColumns: Readonly<Record<SnapshotFile['kind'], string>> = {
  entity: 'id STRING, type STRING, name STRING, metadata STRING, media_url STRING, row BIGINT',
  interaction: 'type STRING, source_id STRING, target_id STRING, timestamp BIGINT, metadata STRING, row BIGINT',
};
