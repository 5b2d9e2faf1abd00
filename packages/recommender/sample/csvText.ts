/** Header of an entity file. */
export const entityHeader = 'id,type,name,metadata,media_url';

/** Header of an interaction file. */
export const interactionHeader = 'type,source_id,target_id,timestamp,metadata';

/** One CSV record according to RFC 4180, without line end. Fields with a comma, a quote or a line break are quoted. */
export function csvRecord(fields: readonly string[]): string {
  return fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}
