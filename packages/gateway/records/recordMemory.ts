import type { RequestRecord } from './requestRecord.ts';

/** Maximum number of records, 10 MB at 1 to 2 KB each. */
const maxRecords = 5_000;

/**
 * The records that this process accepted or read last, used while the database is unavailable. Each has its time in `as_of`;
 * only `confirmed` records cannot have changed since.
 */
export class RecordMemory {
  readonly #records = new Map<string, RequestRecord>();

  /**
   * Stores a record.
   * @param at time in ms since 1970 at which the record was read or written
   */
  remember(record: RequestRecord, at: number): void {
    this.#records.delete(record.request_id);
    this.#records.set(record.request_id, { ...record, as_of: new Date(at).toISOString() });
    if (this.#records.size <= maxRecords) return;
    for (const oldest of this.#records.keys()) {
      this.#records.delete(oldest);
      return;
    }
  }

  recall(requestId: string): RequestRecord | null {
    return this.#records.get(requestId) ?? null;
  }
}
