export type TableKind = 'entity' | 'interaction';

/** One stored column; columns are listed in the order of the Parquet file. */
export interface ColumnRule {
  name: string;
  /** Other column names that the header may use. */
  aliases: readonly string[];
  /** Whether every row must have a value. */
  required: boolean;
  content: 'text' | 'timestamp' | 'json';
  /** Maximum length of a value in bytes of UTF-8. */
  maxBytes: number;
}

function column(name: string, maxBytes: number, rule: Partial<ColumnRule> = {}): ColumnRule {
  return { name, aliases: [], required: false, content: 'text', maxBytes, ...rule };
}

const identifierBytes = 1024;
const nameBytes = 4096;
const metadataBytes = 65_536;

/** The two kinds of tables. Every listed column must be in the header; other columns are ignored. */
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

/** Maximum bytes of a field of any column, including ignored columns; limits the memory that an unclosed quote can take. */
export const maxFieldBytes = 1_048_576;

/** Maximum bytes of a record; limits the memory of the scanner regardless of the number of ignored columns. */
export const maxRecordBytes = 4 * maxFieldBytes;

/** Maximum number of columns of a header, including ignored columns. */
export const maxColumns = 1000;

/** Maximum number of faults reported per request; the scan of a file ends at this number. */
export const maxFaults = 100;
