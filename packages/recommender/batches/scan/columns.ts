export type TableKind = 'entity' | 'interaction';

/** One column that is stored, in the order of the Parquet file. */
export interface ColumnRule {
  name: string;
  /** Other names under which the header may carry it. */
  aliases: readonly string[];
  /** Whether a row must have a value here. */
  required: boolean;
  content: 'text' | 'timestamp' | 'json';
  /** Longest value in bytes of UTF-8. */
  maxBytes: number;
}

function column(name: string, maxBytes: number, rule: Partial<ColumnRule> = {}): ColumnRule {
  return { name, aliases: [], required: false, content: 'text', maxBytes, ...rule };
}

const identifierBytes = 1024;
const nameBytes = 4096;
const metadataBytes = 65_536;

/** The two tables that a file can hold. Every column must be in the header; other columns are ignored. */
export const tableColumns: Readonly<Record<TableKind, readonly ColumnRule[]>> = {
  entity: [
    column('id', identifierBytes, { required: true }),
    column('type', identifierBytes, { required: true, aliases: ['entity_type'] }),
    column('name', nameBytes, { aliases: ['entity_name'] }),
    column('metadata', metadataBytes, { content: 'json' }),
    column('media_url', nameBytes),
  ],
  interaction: [
    column('type', identifierBytes),
    column('source_id', identifierBytes, { required: true }),
    column('target_id', identifierBytes, { required: true }),
    column('timestamp', 64, { content: 'timestamp' }),
    column('metadata', metadataBytes, { content: 'json' }),
  ],
};

/** Maximum length of a field of any column, ignored columns included; bounds the memory that an unclosed quote can take. */
export const maxFieldBytes = 1_048_576;

/** Longest record: bounds the memory of the scanner, whatever the number of ignored columns. */
export const maxRecordBytes = 4 * maxFieldBytes;

/** Most columns of a header, ignored ones included. */
export const maxColumns = 1000;

/** Faults reported for one request; the scan of a file ends there. */
export const maxFaults = 100;
