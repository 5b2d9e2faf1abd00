import type { RequestRecord } from './requestRecord.ts';

/** A record takes 1 to 2 KB; these take 10 MB at most. */
const maxRecords = 5_000;

/**
 * The records that this process accepted or read last, for as long as the database cannot be asked. Each says as of when it is; one that is
 * `confirmed` does not change any more, others may have.
 */
export class RecordMemory {
  readonly #records = new Map<string, RequestRecord>();

  /** @param at milliseconds since the epoch, when the record was read or written */
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
